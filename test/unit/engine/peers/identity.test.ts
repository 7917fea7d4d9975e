import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { isOfNode, namesIn, nodeOf } from '../../../../src/engine/peers/identity.ts';
import { type CertificateRequest, createAuthority } from '../../../helpers/certificates.ts';

const dir = join(tmpdir(), `hawser-identity-${process.pid}`);
const authority = createAuthority(dir);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const certificateOf = (request: CertificateRequest) => new X509Certificate(authority.issue(request).cert);
const usual = certificateOf({
  commonName: 'cp-1',
  dnsNames: ['cp-1', 'a.example.org'],
  addresses: ['10.0.0.11', 'fd00::b'],
});
const nobody = { name: 'cp-9', addresses: [] };

test.each([
  ['its name', { ...nobody, name: 'cp-1' }, true],
  ['its name in other letters', { ...nobody, name: 'CP-1' }, true],
  ['one of its addresses', { ...nobody, addresses: ['192.0.2.1', '10.0.0.11'] }, true],
  ['its IPv6 address, however that is written', { ...nobody, addresses: ['fd00:0:0::b'] }, true],
  ['the beginning of its name', { ...nobody, name: 'cp-11' }, false],
  ['the domain that its name is in', { ...nobody, name: '.example.org' }, false],
  ['its name with a domain', { ...nobody, name: 'cp-1.example.org' }, false],
  ['the beginning of its address', { ...nobody, addresses: ['10.0.0.1', '10.0.0.111'] }, false],
  ['neither', { name: 'cp-2', addresses: ['10.0.0.12'] }, false],
  ['an address for a name', { ...nobody, name: '10.0.0.11' }, false],
])('a node is known by %s', (_, node, expected) => {
  expect(isOfNode(usual, node)).toBe(expected);
});

test('a common name, a wildcard and a mail address are no identity', () => {
  const bare = certificateOf({ commonName: 'cp-1' });
  expect(isOfNode(bare, { ...nobody, name: 'cp-1' })).toBe(false);
  const wild = certificateOf({ commonName: 'x', dnsNames: ['*.example.org', '*'] });
  for (const name of ['cp-1.example.org', 'cp-1', '*', 'example.org'])
    expect(isOfNode(wild, { ...nobody, name }), name).toBe(false);
});

test('of several nodes the one is found whose certificate it is', () => {
  const nodes = ['1', '2', '3'].map((n) => ({ name: `cp-${n}`, addresses: [`10.0.0.1${n}`] }));
  expect(nodeOf(usual, nodes)?.name).toBe('cp-1');
  expect(nodeOf(usual, nodes.slice(1))).toBeUndefined();
  expect(nodeOf(usual, [])).toBeUndefined();
});

test('no name of a node makes the comparison fail or match by chance', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (name, addresses) => {
      fc.pre(!/^(cp-1|a.example.org)$/i.test(name) && !addresses.some((each) => /11$|b$/i.test(each)));
      expect(isOfNode(usual, { name, addresses })).toBe(false);
    }),
  );
});

test('what is shown of a certificate is short and on one line', () => {
  expect(namesIn(usual)).toBe(
    'DNS:cp-1, DNS:a.example.org, IP Address:10.0.0.11, IP Address:FD00:0:0:0:0:0:0:B',
  );
  const many = certificateOf({
    commonName: 'x',
    dnsNames: Array.from({ length: 50 }, (_, n) => `node-${n}`),
  });
  expect(namesIn(many).length).toBe(200);
  expect(namesIn(certificateOf({ commonName: 'cp-1' }))).toBe('CN=cp-1');
});
