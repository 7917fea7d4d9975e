import { expect, test } from 'vitest';
import { describeConfiguration } from '../../../../src/haproxy/runtime/describe-configuration.ts';

const plain = `global
  maxconn 100
defaults
  default-server inter 5s
backend masters
  # a remark
  default-server weight 256 slowstart 60s
  server a 10.0.0.1:6443
  server b [fd00::2]:6443 weight 7
listen checks
  server a 10.0.0.1:6443 check
`;

test('servers are described with inherited options, and the rest by section', () => {
  const described = describeConfiguration(plain);
  const weighed = { port: 6443, options: 'inter 5s slowstart 60s' };
  expect(Object.fromEntries(described?.servers ?? [])).toEqual({
    'masters/a': { ...weighed, address: '10.0.0.1', weight: 256 },
    'masters/b': { ...weighed, address: 'fd00::2', weight: 7 },
    'checks/a': { address: '10.0.0.1', port: 6443, weight: 1, options: 'inter 5s check' },
  });
  expect(described?.sections.get('backend masters')).toBe('default-server weight 256 slowstart 60s');
  expect(described?.openBackends).toEqual(new Set());
});

test.each([
  ['a name', 'server c api.example:6443'],
  ['a socket', 'server c /run/api.sock'],
  ['a variable', 'server c "$API":6443'],
  ['an expression', 'server c 10.0.0.3:6443 ssl verify none sni str(api)'],
  ["the client's port", 'server c 10.0.0.3:0'],
  ['a remark behind it', 'server c 10.0.0.3:6443 # the third'],
  ['another spelling', 'server c [fd00:0::3]:6443'],
  ['a server out of use', 'server c 10.0.0.3:6443 disabled'],
  ['a server that an agent weighs', 'server c 10.0.0.3:6443 check agent-check agent-port 9999'],
  ['a template', 'server-template c 3 10.0.0.3:6443'],
])('%s instead of a plain server is part of its section', (_, line) => {
  const described = describeConfiguration(`backend masters\n  ${line}\n  server d 10.0.0.4:6443\n`);
  expect([...(described?.servers.keys() ?? [])]).toEqual(['masters/d']);
  expect(described?.sections.get('backend masters')).toBe(line);
  expect(described?.openBackends).toEqual(new Set(['masters']));
});

test('a backend inherits from the defaults it names, or else from the last ones', () => {
  const described = describeConfiguration(`defaults one
  default-server inter 1s
defaults two
  default-server inter 2s
backend x
  server a 10.0.0.1:1
backend y from one
  server a 10.0.0.1:1
`);
  expect(described?.servers.get('x/a')?.options).toBe('inter 2s');
  expect(described?.servers.get('y/a')?.options).toBe('inter 1s');
});

test('a file with conditions cannot be described', () => {
  expect(describeConfiguration(`${plain}.if defined(X)\nbackend x\n.endif\n`)).toBeUndefined();
});

test('a tracking server and a tracked one are part of their sections', () => {
  const described = describeConfiguration(`backend masters
  server a 10.0.0.1:6443 weight 7 track checks/a
  server b 10.0.0.2:6443
backend checks
  server a 10.0.0.1:6443 check
  server c 10.0.0.3:6443 check
  server d 10.0.0.4:6443 track c
`);
  expect([...(described?.servers.keys() ?? [])]).toEqual(['masters/b']);
  expect(described?.sections.get('backend masters')).toBe('server a 10.0.0.1:6443 weight 7 track checks/a');
  expect(described?.openBackends).toEqual(new Set(['masters', 'checks']));
});

test('quotes around a plain word are ignored; other quotes keep the server in its section', () => {
  const described = describeConfiguration(`backend b
  server a 10.0.0.1:80 cookie '0123abc' weight 1
  server c 10.0.0.2:80 cookie 'a b' weight 1
`);
  expect(described?.servers.get('b/a')?.options).toBe('cookie 0123abc');
  expect([...(described?.openBackends ?? [])]).toEqual(['b']);
  expect(described?.sections.get('backend b')).toContain('10.0.0.2:80');
});

test.each([
  ['spaces in quotes', `http-request return string "a b"`, `http-request return string "a  b"`],
  [
    'quotes in quotes',
    `http-request return string "an 'odd' word"`,
    `http-request return string "an odd word"`,
  ],
])("%s are part of the section's text", (_, one, other) => {
  const sectionOf = (line: string) =>
    describeConfiguration(`backend b\n  ${line}\n`)?.sections.get('backend b');
  expect(sectionOf(one)).not.toBe(sectionOf(other));
});

test('all sections of one name are compared', () => {
  const described = describeConfiguration('global\n  maxconn 1\nglobal\n  nbthread 2\n');
  expect(described?.sections.get('global')).toBe('maxconn 1\nnbthread 2');
});
