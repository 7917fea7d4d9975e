import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { createAuthority } from '../helpers/certificates.ts';
import { hostilePieces } from '../helpers/router/hostile-text.ts';
import { hostileText, partsReplaced, textNear } from './hostile.ts';

/** A tenant's PEM files. */
export interface TenantPem {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/** Placeholder, replaced by a unique name in each tenant's objects. */
const TENANT = 'tenant-0';

type Right = readonly [string, ...string[]];

/** One of these texts, unchanged, with a piece inserted that HAProxy could misread, or replaced by hostile text. */
function near(weight: number, right: Right): fc.Arbitrary<string> {
  const plain = fc.constantFrom(...right);
  const pierced = fc
    .tuple(plain, fc.constantFrom(...hostilePieces), fc.nat(40))
    .map(([text, piece, at]) => `${text.slice(0, at)}${piece}${text.slice(at)}`);
  return fc.oneof(
    { weight, arbitrary: plain },
    { weight: 3, arbitrary: pierced },
    { weight: 1, arbitrary: hostileText },
  );
}

/** `often` for fields that have no effect if invalid, `seldom` for fields that get the whole route rejected. */
const often = (...right: Right) => near(8, right);
const seldom = (...right: Right) => near(60, right);

const haproxy = 'haproxy.router.openshift.io/';
/** Too long for the configuration: it goes into a file. */
const longAllowlist = Array.from({ length: 70 }, (_, index) => `10.0.0.${index}`).join(' ');
const annotationTexts = {
  [`${haproxy}balance`]: often('source', 'leastconn'),
  [`${haproxy}disable_cookies`]: often('true', 'false'),
  'router.openshift.io/cookie_name': often('session_1'),
  'router.openshift.io/cookie-same-site': often('Lax', 'None'),
  [`${haproxy}hsts_header`]: often('max-age=31536000;includeSubDomains;preload', 'max-age="1"'),
  [`${haproxy}ip_allowlist`]: often('10.0.0.1 10.0.0.0/8 fd00::/8', longAllowlist),
  [`${haproxy}ip_whitelist`]: often('192.0.2.1'),
  [`${haproxy}pod-concurrent-connections`]: often('100', '2147483647'),
  [`${haproxy}rate-limit-connections`]: often('true'),
  [`${haproxy}rate-limit-connections.concurrent-tcp`]: often('10'),
  [`${haproxy}rate-limit-connections.rate-tcp`]: often('10', '4294967295'),
  [`${haproxy}rate-limit-connections.rate-http`]: often('10', '0'),
  [`${haproxy}rewrite-target`]: often('/', '/new', '/a\\1', '/%1'),
  [`${haproxy}set-forwarded-headers`]: often('append', 'replace', 'if-none', 'never'),
  [`${haproxy}timeout`]: often('30s', '500', '9999999999d'),
  [`${haproxy}timeout-tunnel`]: often('1h', '1us'),
  [`${haproxy}h1-adjust-case`]: often('true'),
  'router.openshift.io/haproxy.health.check.interval': often('5s', '1us'),
};
const annotations = fc.record(annotationTexts, { requiredKeys: [] });

const metadata = (name: string, own: object = {}) => ({
  name,
  namespace: TENANT,
  uid: `${TENANT}-${name}`,
  creationTimestamp: '2026-02-02T00:00:00Z',
  ...own,
});

const header = fc.record({
  name: seldom('X-Tenant', 'Accept'),
  action: fc.oneof(
    fc.constant({ type: 'Delete' }),
    often('a value', '%[req.hdr(X-A),lower]', '%%', `it's "so" \\ {}`).map((value) => ({
      type: 'Set',
      set: { value },
    })),
  ),
});
const actions = fc.record({
  request: fc.array(header, { maxLength: 2 }),
  response: fc.array(header, { maxLength: 2 }),
});

const address = often('10.1.0.1', '10.1.0.2', 'fd01::1', '127.0.0.1', '169.254.169.254', '::ffff:10.0.0.1');
interface SliceWish {
  readonly addresses: readonly string[];
  readonly pod: string;
  readonly portName: string;
  readonly port: number;
  readonly appProtocol: string;
}

const slice: fc.Arbitrary<SliceWish> = fc.record({
  addresses: fc.array(address, { minLength: 1, maxLength: 3 }),
  pod: seldom('web-1', 'web-2.x'),
  portName: seldom('http', 'http', ''),
  port: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(8080, 1, 65_535) },
    { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double()) },
  ),
  appProtocol: fc.constantFrom('http', 'h2c', 'kubernetes.io/h2c'),
});

const sliceOf = ({ addresses, pod, portName, port, appProtocol }: SliceWish) => ({
  kind: 'EndpointSlice',
  metadata: metadata('web-1', { labels: { 'kubernetes.io/service-name': 'web' } }),
  addressType: 'IPv4',
  endpoints: [
    { addresses, conditions: { ready: true }, targetRef: { kind: 'Pod', name: pod } },
    { addresses: ['10.1.0.9'] },
  ],
  ports: [{ name: portName, port, protocol: 'TCP', appProtocol }],
});

/** Changes a few bytes. Most such certificates still match their key, because the signature is not checked. */
function certificateNear(pem: string): fc.Arbitrary<string> {
  const der = new X509Certificate(pem).raw;
  const flips = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
  return flips.map((all) => {
    const bytes = Buffer.from(der);
    for (const [at, byte] of all) bytes[at] = byte;
    return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  });
}

const pemNear = (pem: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(pem) },
    { weight: 3, arbitrary: pem.includes('BEGIN CERT') ? certificateNear(pem) : textNear([pem]) },
    { weight: 1, arbitrary: textNear([pem, `${pem}${pem}`]) },
  );

function tlsOf({ certificate, key, ca }: TenantPem): fc.Arbitrary<object | undefined> {
  const insecureEdgeTerminationPolicy = seldom('Allow', 'Redirect', 'None', '');
  const own = { certificate: pemNear(certificate), key: pemNear(key), caCertificate: pemNear(ca) };
  const external = fc.constant({ name: 'pair' });
  return fc.oneof(
    fc.constant(undefined),
    fc.record(
      { termination: fc.constant('edge'), insecureEdgeTerminationPolicy, ...own },
      { requiredKeys: ['termination', 'certificate', 'key'] },
    ),
    fc.record(
      {
        termination: fc.constantFrom('edge', 'reencrypt'),
        insecureEdgeTerminationPolicy,
        externalCertificate: external,
      },
      { requiredKeys: ['termination'] },
    ),
    fc.record(
      { termination: fc.constant('reencrypt'), destinationCACertificate: pemNear(ca), ...own },
      { requiredKeys: ['termination', 'destinationCACertificate'] },
    ),
    fc.record({ termination: seldom('passthrough', 'edge') }),
  );
}

/** The objects of one tenant: a Route or an Ingress, and everything it refers to. */
export function tenants(pem: TenantPem): fc.Arbitrary<unknown> {
  const host = seldom(`app.${TENANT}.example`, `a.b.${TENANT}.example`);
  const path = seldom('', '', '/', '/a', '/a/', '/a%20b', '/~!$&()*+,=:@');
  const route = fc
    .record({
      host,
      path,
      annotations,
      actions,
      tls: tlsOf(pem),
      wildcardPolicy: seldom('None', 'None', 'Subdomain'),
      targetPort: fc.oneof(seldom('http'), fc.constant(8080)),
      weight: fc.oneof(
        { weight: 5, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.constantFrom(0, 256, 1e9)) },
      ),
    })
    .map(({ annotations: own, actions: wishes, targetPort, weight, tls, ...spec }) => ({
      kind: 'Route',
      metadata: metadata('web', { annotations: own }),
      spec: {
        ...spec,
        to: { kind: 'Service', name: 'web', weight },
        port: { targetPort },
        httpHeaders: { actions: wishes },
        ...(tls && { tls }),
      },
    }));
  const ingress = fc
    .record({
      host: seldom(`app.${TENANT}.example`, `*.${TENANT}.example`),
      path,
      annotations,
      pathType: seldom('Prefix'),
    })
    .map(({ annotations: own, host: ownHost, ...rule }) => ({
      kind: 'Ingress',
      metadata: metadata('web', { annotations: own }),
      spec: {
        ingressClassName: 'hawser',
        tls: [{ hosts: [ownHost], secretName: 'pair' }],
        rules: [
          {
            host: ownHost,
            http: { paths: [{ ...rule, backend: { service: { name: 'web', port: { number: 80 } } } }] },
          },
        ],
      },
    }));
  const secret = fc.tuple(pemNear(pem.certificate), pemNear(pem.key)).map(([certificate, key]) => ({
    kind: 'Secret',
    metadata: metadata('pair'),
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  }));
  const service = seldom('http').map((name) => ({
    kind: 'Service',
    metadata: metadata('web'),
    spec: { clusterIP: '172.30.0.1', ports: [{ name, port: 80, protocol: 'TCP' }] },
  }));
  const objects = fc.tuple(
    fc.oneof({ weight: 3, arbitrary: route }, ingress),
    slice.map(sliceOf),
    secret,
    service,
  );
  return fc.oneof({ weight: 3, arbitrary: objects }, { weight: 1, arbitrary: partsReplaced(objects) });
}

/** A tenant with a route, its certificate and three pods, before and after a change. */
export interface ChangingTenant {
  readonly before: readonly object[];
  readonly after: readonly object[];
}

/** Arbitrary changes that HAProxy can apply at runtime: host, path, certificate and endpoints. */
export function changingTenants(
  pem: TenantPem,
  renewed: Pick<TenantPem, 'certificate' | 'key'>,
): fc.Arbitrary<ChangingTenant> {
  const route = (
    host: string,
    path: string,
    { certificate, key }: Pick<TenantPem, 'certificate' | 'key'>,
  ) => ({
    kind: 'Route',
    metadata: metadata('web'),
    spec: { host, path, to: { name: 'web' }, tls: { termination: 'edge', certificate, key } },
  });
  const pods = (name: string, addresses: readonly string[]) => ({
    ...sliceOf({ addresses, pod: name, portName: 'http', port: 8080, appProtocol: 'http' }),
    metadata: metadata(name, { labels: { 'kubernetes.io/service-name': 'web' } }),
  });
  const stay = pods('stays', ['10.3.0.1']);
  const before = [route(`app.${TENANT}.example`, '/a', pem), stay, pods('goes', ['10.3.0.2', '10.3.0.3'])];
  return fc
    .record({
      host: seldom(`app.${TENANT}.example`, `b.${TENANT}.example`),
      path: seldom('', '/a', '/a/', '/b', '/a%20b', '/~!$&()*+,=:@'),
      pair: fc.oneof(
        fc.constantFrom(pem, renewed),
        certificateNear(pem.certificate).map((certificate) => ({ certificate, key: pem.key })),
      ),
      comes: slice.map(sliceOf),
    })
    .map(({ host, path, pair, comes }) => ({ before, after: [route(host, path, pair), stay, comes] }));
}

/** Creates new PEM files. The folder must not exist yet. */
export function tenantPem(folder: string): TenantPem {
  const authority = createAuthority(folder);
  const { cert, key } = authority.issue({ commonName: 'tenant', dnsNames: ['app.example'] });
  return { certificate: cert, key, ca: authority.cert };
}

/** Valid routes: without TLS, with a certificate of their own, and passthrough. */
export function neighbours({ certificate, key }: TenantPem): readonly object[] {
  const named = (name: string, more: object = {}) => ({ ...metadata(name, more), namespace: 'neighbour' });
  const route = (name: string, spec: object) => ({
    kind: 'Route',
    metadata: named(name, { annotations: { [`${haproxy}timeout`]: '5s' } }),
    spec: { host: `${name}.neighbour.example`, to: { kind: 'Service', name: 'web' }, ...spec },
  });
  return [
    route('plain', { path: '/a' }),
    route('edge', { tls: { termination: 'edge', certificate, key } }),
    route('tcp', { tls: { termination: 'passthrough' } }),
    {
      ...sliceOf({ addresses: ['10.2.0.1'], pod: 'web-1', portName: 'http', port: 80, appProtocol: 'http' }),
      metadata: named('web-1', { labels: { 'kubernetes.io/service-name': 'web' } }),
    },
  ];
}

/** The objects with the placeholder replaced by this tenant's name. */
export function tenantNumbered(objects: unknown, number: number): readonly unknown[] {
  const own: unknown = JSON.parse((JSON.stringify(objects) ?? 'null').replaceAll(TENANT, `tenant-${number}`));
  return Array.isArray(own) ? own : [own];
}
