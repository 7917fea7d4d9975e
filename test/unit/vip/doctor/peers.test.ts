import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PeerFiles } from '../../../../src/engine/peers/peer.ts';
import { writeLastKnown } from '../../../../src/engine/reconcile/servers/last-known.ts';
import type { DoctorSettings } from '../../../../src/operate/doctor/look/context.ts';
import type { CertificateRequest } from '../../../helpers/certificates.ts';
import { examine } from '../../../helpers/doctor/scene.ts';
import { freePort } from '../../../helpers/free-port.ts';
import {
  expired,
  type PeerAuthority,
  peerAuthority,
  temporaryFolder,
} from '../../../helpers/peers/peer-files.ts';
import { peerScene, serving } from '../../../helpers/peers/peer-scene.ts';

const ours = { commonName: 'x', dnsNames: ['cp-2'] };
/** A year, of which so many days are left. */
const yearWith = (days: number) => ({
  from: new Date(Date.now() - (365 - days) * 86_400_000),
  to: new Date(Date.now() + days * 86_400_000),
});
const set = (files: PeerFiles, port = 29_450): Partial<DoctorSettings> => ({
  nodeName: 'cp-2',
  peers: { kind: 'set', files, port },
});

async function certificate(
  request: Partial<CertificateRequest>,
  spoil: (files: PeerFiles) => void = () => {},
) {
  const files = peerAuthority().filesFor({ ...ours, validity: yearWith(300), ...request });
  spoil(files);
  return await examine('peer-certificate', undefined, set(files));
}

test('peer-certificate: one that is good', async () => {
  expect(await certificate({})).toMatchObject({ kind: 'ok', found: expect.stringContaining('valid until') });
});

test('peer-certificate: one that is nearly over, and one that is', async () => {
  const soon = await certificate({ validity: yearWith(20) });
  expect(soon).toMatchObject({
    kind: 'warn',
    found: expect.stringMatching(/DNS:cp-2 expires on .*, in (19|20) days/),
  });
  const over = await certificate({ validity: expired });
  expect(over).toMatchObject({ kind: 'fail', found: expect.stringMatching(/tls\.crt": it expired at/) });
});

test('peer-certificate: a key that is not its own, and one that is missing', async () => {
  const other = await certificate({}, ({ key }) => copyFileSync(peerAuthority().filesFor(ours).key, key));
  expect(other).toMatchObject({ kind: 'fail', found: expect.stringContaining('it is not the key of') });
  const none = await certificate({}, ({ key }) => rmSync(key));
  expect(none).toMatchObject({ kind: 'fail', found: expect.stringContaining('ENOENT') });
});

test('peer-certificate: a key that others may read', async () => {
  expect(await certificate({}, ({ key }) => chmodSync(key, 0o640))).toMatchObject({
    kind: 'warn',
    found: expect.stringMatching(/tls\.key has mode 640/),
    todo: expect.stringMatching(/^chmod 0600 /),
  });
});

test('peer-certificate: that of another node', async () => {
  expect(await certificate({ dnsNames: ['cp-3'] })).toMatchObject({
    kind: 'fail',
    found: 'the certificate is of DNS:cp-3, and this node is cp-2',
  });
});

test('peer-certificate: nothing set is nothing to look at, and half of it is not', async () => {
  expect(await examine('peer-certificate', {})).toMatchObject({ kind: 'skip' });
  const half = { kind: 'half', problems: ['Cannot do without --peer-tls-key'] } as const;
  expect(await examine('peer-certificate', {}, { peers: half })).toMatchObject({ kind: 'fail' });
  expect(await examine('peer-status', {}, { peers: half })).toMatchObject({ kind: 'skip' });
});

async function asked(authority: PeerAuthority, port: number, settings: Partial<DoctorSettings> = {}) {
  const servers = 'cp-1=127.0.0.1';
  return await examine('peer-status', undefined, {
    ...set(authority.filesFor(ours), port),
    servers,
    ...settings,
  });
}

test('peer-status: a peer that answers, and one that does not listen', async () => {
  const authority = peerAuthority();
  const { port } = await peerScene(await authority.credentialsFor(serving));
  expect(await asked(authority, port)).toEqual({ kind: 'ok', found: 'cp-1 answers' });
  expect(await asked(authority, await freePort())).toMatchObject({
    kind: 'fail',
    found: expect.stringMatching(/^cp-1 \(127\.0\.0\.1\): nothing listens/),
    todo: expect.stringContaining('let TCP port'),
  });
});

test('peer-status: a peer that does not believe us is no peer that answers', async () => {
  const authority = peerAuthority();
  const { port } = await peerScene(await authority.credentialsFor(serving), { nodes: () => [] });
  expect(await asked(authority, port)).toMatchObject({
    kind: 'fail',
    found: expect.stringContaining('it refuses this node'),
  });
});

test('peer-status: no peer can be asked with an invalid certificate', async () => {
  const authority = peerAuthority();
  const files = authority.filesFor({ ...ours, validity: expired });
  const finding = await examine('peer-status', undefined, set(files));
  expect(finding).toEqual({ kind: 'skip', found: 'see check peer-certificate' });
});

test('peer-status: the nodes that the monitor knew last are asked by their names', async () => {
  const authority = peerAuthority();
  const { port } = await peerScene(await authority.credentialsFor({ ...serving, addresses: [] }));
  const folder = temporaryFolder();
  // Not an address of this machine's interfaces, which would be this node itself; loopback answers for it all the same.
  const nodes = [{ name: 'cp-1', address: '127.0.0.1', port: 6443 }];
  await writeLastKnown(join(folder, 'vrrp-nodes.json.api.ipv4'), nodes, new Date());
  const settings = {
    ...set(authority.filesFor(ours), port),
    keepalivedConfig: join(folder, 'keepalived.conf'),
  };
  expect(await examine('peer-status', undefined, settings)).toEqual({ kind: 'ok', found: 'cp-1 answers' });
});
