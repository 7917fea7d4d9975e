import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretName, withoutSecrets } from '../../../../../src/engine/system/text/without-secrets.ts';
import { runs } from '../../../../helpers/property-seed.ts';

const shown: readonly (readonly [line: string, shown: string])[] = [
  ['    user admin insecure-password hunter2', '    user admin insecure-password ***'],
  ['  user admin password $6$k6y3o.eP$JlKBx', '  user admin password ***'],
  ['    stats auth admin:hunter2', '    stats auth ***'],
  ['        auth_pass 1234', '        auth_pass ***'],
  ['token: abc', 'token: ***'],
  ['{"token":"hunter2","level":3}', '{"token":"***","level":3}'],
  ['  "password": "hunter2",', '  "password": "***",'],
  ['{"password":12345,"ok":true}', '{"password":"***","ok":true}'],
  ['{"tokens":["hunter2","b"],"count":2}', '{"tokens":["***","***"],"count":2}'],
  [String.raw`{"message":"{\"token\":\"hunter2\"}"}`, String.raw`{"message":"{\"token\":\"***\"}"}`],
  [
    '2026 stdout F {"message":"bad password: hunter2","level":3}',
    '2026 stdout F {"message":"bad password: ***","level":3}',
  ],
  ['Authorization: Bearer hunter2', 'Authorization: ***'],
  [' http-request set-header Authorization "Basic aHVu"', ' http-request set-header Authorization "***"'],
  ['    http-request set-header X-Api-Key hunter2', '    http-request set-header X-Api-Key ***'],
  ['    setenv API_TOKEN hunter2', '    setenv API_TOKEN ***'],
  ['https_proxy=http://user:hunter2@proxy:3128 x=1', 'https_proxy=http://***@proxy:3128 x=1'],
  ['https_proxy=user:hunter2@proxy:3128', 'https_proxy=***@proxy:3128'],
  ['DB_PASSWORD=hunter2 LEVEL=info', 'DB_PASSWORD=*** LEVEL=info'],
  ['    client-key-data: LS0tLS1CRUdJTiBQUklWQVRF', '    client-key-data: ***'],
  ['apiToken: hunter2', 'apiToken: ***'],
  ['hawser --token hunter2 --lb-port 6443', 'hawser --token *** --lb-port 6443'],
  ['  tls.key: LS0t', '  tls.key: ***'],
  ['example.com/token: hunter2', 'example.com/token: ***'],
  ['error: token "hunter2" has expired', 'error: token "***" has expired'],
  ['- name: AWS_SECRET_ACCESS_KEY\n  value: hunter2', '- name: AWS_SECRET_ACCESS_KEY\n  value: ***'],
  [
    '- name: dbPassword\n  value: |\n    a: b\n- name: x',
    '- name: dbPassword\n  value: |\n    ***\n- name: x',
  ],
  ['- value: hunter2\n  name: API_TOKEN', '- value: ***\n  name: API_TOKEN'],
  ['{"name":"API_TOKEN","value":"hunter2"}', '{"name":"API_TOKEN","value":"***"}'],
  ['password: |\n  hunter2\n\n  a: b\nnext: x', 'password: |\n  ***\n\n  ***\nnext: x'],
  ['tokens:\n- hunter2\n- name: x', 'tokens:\n- ***\n- name: x'],
  ['"tokens": [\n  "hunter2",\n  5\n],', '"tokens": [\n  ***\n  ***\n],'],
  ['args:\n- --token\n- hunter2\n- --x', 'args:\n- --token\n- ***\n- --x'],
  ['-----BEGIN A KEY-----\nMIIEv\n-----END A KEY-----', '-----BEGIN A KEY-----***-----END A KEY-----'],
];

test.each(shown)('"%s" is redacted to "%s"', (line, shown) => {
  expect(withoutSecrets(`before\n${line}\nafter`)).toBe(`before\n${shown}\nafter`);
});

test.each([
  '    bind :::9445 v4v6',
  'image: quay.io/org/token-server:1.2@sha256:abcdef0123456789',
  'image: registry:5000/secret-operator:v1',
  'tokenFile: /path',
  'TOKEN_FILE=/path',
  'tlsKey: /etc/hawser/tls.key',
  '--tls-key /etc/hawser/tls.key',
  '  - key: node-role.kubernetes.io/control-plane\n    operator: Exists',
  'topologyKey: kubernetes.io/hostname',
  'rules:\n- apiGroups: [""]\n  resources: [secrets]\n  verbs: [get, list, watch]',
  '{"resources":["secrets"],"verbs":["get"]}',
  'secrets is forbidden: User "x" cannot list resource "secrets"',
  'automountServiceAccountToken: false',
  '- name: STATS_PASSWORD\n  valueFrom:\n    secretKeyRef: { name: hawser-router-stats, key: password }',
  'secret:\n  secretName: x\n  items:\n  - key: a\n    path: b',
  'imagePullSecrets:\n- name: x',
  '- serviceAccountToken:\n    path: token\n    expirationSeconds: 3600',
  'Cannot read "/run/secrets/token": no such file',
  'the token of the kubeconfig has expired',
  'auth_type PASS',
  'http-request deny if { req.hdr(authorization) -m found }',
  'docker-pullable://hawser@sha256:abcdef',
  'inet6 fe80::1@eth0',
  'http-request set-var(txn.key) var(txn.host)',
  'SslFrontendKeyRate: 0',
  'credentials: kubelet',
  '{"event":"reload","keys":3,"before":null}',
])('"%s" is unchanged', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

test.each(['haproxy.yaml', 'keepalived.yaml', 'rbac.yaml', 'router/rbac.yaml', 'pod-proxy/deployment.yaml'])(
  'the shipped manifest %s is unchanged',
  (name) => {
    const text = readFileSync(new URL(`../../../../../manifests/${name}`, import.meta.url), 'utf8');
    expect(withoutSecrets(text)).toBe(text);
  },
);

/** Names of secrets in every style, made of a secret's name and its surroundings. */
const secretName = fc
  .tuple(
    fc.constantFrom('', 'aws', 'db', 'client', 'my'),
    fc.constantFrom('secret', 'token', 'password', 'accessKey', 'signingKey', 'apiKey', 'credential'),
    fc.constantFrom('', 'data', 'prod', '2'),
    fc.constantFrom('camel', 'snake', 'kebab', 'upper'),
  )
  .map(([before, kind, after, style]) => {
    const words = [before, ...kind.split(/(?=[A-Z])/), after].filter((word) => word !== '');
    if (style === 'camel')
      return words.map((it, index) => (index === 0 ? it : it[0]?.toUpperCase() + it.slice(1))).join('');
    const joined = words.join(style === 'kebab' ? '-' : '_');
    return style === 'upper' ? joined.toUpperCase() : joined.toLowerCase();
  });
/** Unique by its length. Has the characters of base64 and of passwords, and characters that end a word elsewhere. */
const secret = fc.stringMatching(/^[A-Za-z0-9+][A-Za-z0-9+$!#%_.=]{6,20}Zq[A-Za-z0-9+_]{6,20}$/);
const planted: Readonly<Record<string, (name: string, secret: string) => string>> = {
  'YAML, plain': (name, value) => `${name}: ${value}`,
  'YAML, several words': (name, value) => `${name}: a ${value}, b ${value} # ${value}`,
  'YAML, quoted': (name, value) => `"${name}": '${value}'`,
  'YAML, two quoted lines': (name, value) => `  ${name}: "a\n    ${value}"`,
  'YAML, on the next line': (name, value) => `  ${name}:\n    ${value}`,
  'YAML, a block': (name, value) => `- ${name}: |-\n    ${value}\n\n    a: ${value}\n  b: c`,
  'YAML, a list': (name, value) => `${name}: [${value}, "${value}"]`,
  'YAML, a list of lines': (name, value) => `${name}:\n- ${value}\n- "${value}"`,
  'YAML, after a domain': (name, value) => `  example.com/${name}: ${value}`,
  'env, YAML': (name, value) => `- name: ${name}\n  value: ${value}`,
  'env, YAML, quoted': (name, value) => `- name: "${name}"\n  value: "${value}"`,
  'env, the value first': (name, value) => `- value: ${value}\n  name: ${name}`,
  'env, a block': (name, value) => `- name: ${name}\n  value: >\n    ${value}\n    ${value}`,
  'env, flow': (name, value) => `env: [{ name: ${name}, value: ${value} }]`,
  'env, JSON': (name, value) => JSON.stringify({ env: [{ name, value }] }),
  'env, indented JSON': (name, value) => JSON.stringify({ env: [{ name, value }] }, null, 2),
  JSON: (name, value) => JSON.stringify({ a: 1, [name]: value, b: [value.length] }),
  'indented JSON': (name, value) => JSON.stringify({ a: 1, [name]: value, b: true }, null, 2),
  'a list in JSON': (name, value) => JSON.stringify({ [name]: [value, value] }),
  'a list in indented JSON': (name, value) => JSON.stringify({ [name]: [value, value] }, null, 2),
  ini: (name, value) => `${name} = ${value}`,
  'a variable': (name, value) => `a=b ${name}=${value} c=d`,
  'a quoted variable': (name, value) => `export ${name}="${value} ${value}"`,
  'a parameter in a URL': (name, value) => `GET /?a=b&${name}=${value} HTTP/1.1`,
  'a flag': (name, value) => `--a b --${name} ${value} --c`,
  'a flag with =': (name, value) => `-a --${name}=${value} --c`,
  'a flag in a list': (name, value) => JSON.stringify(['--a', `--${name}`, value]),
  'a flag in a list of lines': (name, value) => `args:\n  - --${name}\n  - ${value}`,
  'a header': (_, value) => `Authorization: Bearer ${value}`,
  'a header given to curl': (_, value) => `curl -H "authorization: Basic ${value}"`,
  'a header that HAProxy sets': (_, value) => `  http-request set-header Authorization "Basic ${value}"`,
  'a header that HAProxy sends': (_, value) => `  http-check send meth GET hdr X-Token ${value}`,
  'a header in an old check': (_, value) =>
    `  option httpchk GET / HTTP/1.0\\r\\nAuthorization:\\ Basic\\ ${value}`,
  'a header that HAProxy compares': (_, value) => `  acl known req.hdr(X-Token) -m str ${value}`,
  'a proxy': (_, value) => `  HTTPS_PROXY http://user:${value}@proxy`,
  'a proxy without a scheme': (_, value) => `HTTPS_PROXY=user:${value}@proxy:3128`,
  'statistics of HAProxy': (_, value) => `  stats auth user:${value}`,
  'users of HAProxy': (_, value) =>
    `userlist u\n  user x password ${value}\n  user y insecure-password ${value}`,
  'a cookie key of HAProxy': (_, value) => `  dynamic-cookie-key ${value}`,
  keepalived: (_, value) => `  authentication { auth_type PASS auth_pass ${value} }`,
  PEM: (_, value) => `-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`,
  'PEM that was cut off': (_, value) => `-----BEGIN PRIVATE KEY-----\n${value}`,
};
const ways: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  'between lines': (text) => `kind: Pod\n${text}\nlevel: info`,
  'a line of a container': (text) => `2026-01-01T00:00:00.1Z stdout F ${text}`,
  'a string of JSON': (text) => JSON.stringify({ at: 1, message: `it said: ${text}`, level: 'info' }),
  'JSON in a string of JSON': (text) =>
    JSON.stringify({ at: 1, message: JSON.stringify({ said: text, b: 1 }), level: 'info' }),
};
/** A JSON string is one line, so secrets that are recognised only by their lines are missed in it. */
const linesOnly = /lines|next line|indented|a block|the value first/;

describe('a planted secret is gone after redaction', () => {
  const cases = Object.keys(planted).flatMap((shape) => Object.keys(ways).map((way) => ({ shape, way })));
  test.each(cases.filter(({ shape, way }) => !(linesOnly.test(shape) && /JSON|container/.test(way))))(
    '$shape, $way',
    ({ shape, way }) => {
      fc.assert(
        fc.property(secretName, secret, (name, value) => {
          const text = ways[way]?.(planted[shape]?.(name, value) ?? '') ?? '';
          const left = withoutSecrets(text);
          expect(text).toContain(value);
          expect(left).not.toContain(value);
          expect(left).not.toMatch(/Zq/);
          expect(withoutSecrets(left)).toBe(left);
          if (way.includes('JSON')) expect(JSON.parse(left)).toMatchObject({ at: 1, level: 'info' });
        }),
        { numRuns: runs(20) },
      );
    },
  );
});

/** Fragments of the rows above, in any order. */
const pieces = fc.constantFrom(
  ...['password', 'apiToken', 'name', 'value', 'auth_pass', 'user', 'Authorization', 'Bearer', '--token'],
  ...[
    ':',
    ': ',
    '=',
    ' ',
    '\n',
    '\n  ',
    '- ',
    '|',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    '\\"',
    '\\',
    "'",
    '@',
    '://',
    '***',
  ],
  ...[
    '-----BEGIN A KEY-----',
    '-----END A KEY-----',
    'hunter2',
    'x',
    '5',
    'null',
    '/etc/x',
    '#',
    'set-header',
  ],
);
const jumble = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

test('property: redacting any text twice changes nothing more', () => {
  fc.assert(
    fc.property(jumble, (text) => {
      const once = withoutSecrets(text);
      expect(withoutSecrets(once)).toBe(once);
    }),
    { numRuns: runs(500) },
  );
});

test.each([undefined, 2])('JSON remains JSON, with an indentation of %s', (indent) => {
  const key = fc.oneof(secretName, fc.constantFrom('name', 'value', 'message'), jumble);
  const leaf = fc.oneof(jumble, fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const text = JSON.stringify({ value }, null, indent);
      expect(() => JSON.parse(withoutSecrets(text)), text).not.toThrow();
    }),
    { numRuns: runs(500) },
  );
});

// In quadratic time, each of these would take hours.
test.each([
  ...['a', 'a-', 'a.', '-', '"', '\\', "'", ' ', '\n ', '\n- ', '[', '[\\"', '{', 'a=:', 'a:=', '\t'],
  ...[
    'password',
    'password=',
    'password: ',
    'password: "',
    "password: '",
    'password: [',
    'password: |\n ',
    '"token": [',
  ],
  ...[
    'name: token ',
    'name: token\n',
    'value: a\n',
    'value: ',
    '--token',
    '--token ',
    'user x ',
    'set-header token ',
  ],
  ...[
    '-----BEGIN A-----',
    '-----BEGIN A-----\nabc-',
    'eyJ',
    'eyJaaaaaaaa',
    '://',
    '://a@',
    'a:',
    'Bearer ',
    'Basic x ',
  ],
])('a long text of "%s" takes linear time', (piece) => {
  expect(withoutSecrets(piece.repeat(300_000 / piece.length)).length).toBeGreaterThan(0);
  expect(withoutSecrets(`password: "${piece.repeat(300_000 / piece.length)}`).length).toBeGreaterThan(0);
});

test.each([
  ['AWS_SECRET_ACCESS_KEY', true],
  ['clientKeyData', true],
  ['TLSKey', true],
  ['STATS_PASS', true],
  ['monkey', false],
  ['passwordFile', false],
  ['secretKeyRef', false],
  ['publicKey', false],
])(`"%s" is a secret's name: %s`, (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});
