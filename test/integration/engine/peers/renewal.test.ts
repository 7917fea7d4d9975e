import { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { PeerCredentials } from '../../../../src/engine/peers/credentials.ts';
import { keepCredentials } from '../../../../src/engine/peers/keep-credentials.ts';
import type { PeerFiles } from '../../../../src/engine/peers/peer.ts';
import {
  credentialsIn,
  expired,
  type PeerAuthority,
  peerAuthority,
} from '../../../helpers/peers/peer-files.ts';
import { asking, type PeerScene, peerScene, serving } from '../../../helpers/peers/peer-scene.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** A node that follows the files of its certificate, and looks at them all the time. */
async function following(authority: PeerAuthority) {
  const files = authority.filesFor(serving);
  const server = await peerScene(await credentialsIn(files));
  const told: Record<string, unknown>[] = [];
  const used: PeerCredentials[] = [];
  const stop = new AbortController();
  const use = (credentials: PeerCredentials): void => {
    used.push(credentials);
    server.use(credentials);
  };
  const done = keepCredentials(files, { log: (event) => told.push({ ...event }), use }, stop.signal, 50);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  await waitFor('the first certificate', () => used.length === 1);
  return { files, server, told, used };
}

const events = (told: readonly Record<string, unknown>[]) => told.map(({ event }) => event);
const serialIn = async (files: PeerFiles) => (await credentialsIn(files)).leaf.serialNumber;

/** The serial number of the certificate that is shown to a new client. */
async function shownBy({ port }: PeerScene): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  onTestFinished(() => void socket.on('error', () => undefined).destroy());
  return await new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()?.serialNumber));
    socket.once('error', reject);
  });
}

function copyOver(from: PeerFiles, to: PeerFiles): void {
  for (const name of ['ca', 'cert', 'key'] as const) copyFileSync(from[name], to[name]);
}

test('a renewed certificate is shown without a restart', async () => {
  const authority = peerAuthority();
  const { files, server, told, used } = await following(authority);
  const before = await shownBy(server);
  const next = authority.filesFor(serving);
  copyOver(next, files);
  await waitFor('the next one', () => used.length === 2);
  expect(await shownBy(server)).toBe(await serialIn(next));
  expect(before).not.toBe(await serialIn(next));
  expect(await server.ask(await authority.credentialsFor(asking))).toMatchObject({ kind: 'answer' });
  expect(events(told)).toEqual(['peer-certificate-loaded', 'peer-certificate-loaded']);
});

test('a certificate that is only half written is told, and the last good one stays', async () => {
  const authority = peerAuthority();
  const { files, server, told, used } = await following(authority);
  const before = await shownBy(server);
  const next = authority.filesFor(serving);
  writeFileSync(files.cert, readFileSync(next.cert, 'utf8').slice(0, 400));
  const complaint = await waitFor('a complaint', () =>
    told.find(({ event }) => event === 'peer-certificate-unusable'),
  );
  expect(complaint).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/tls\.crt": it is only half written/),
    inUse: 'DNS:cp-1',
    validTo: expect.any(String),
  });
  expect(await shownBy(server)).toBe(before);
  expect(await server.ask(await authority.credentialsFor(asking))).toMatchObject({ kind: 'answer' });
  copyOver(next, files);
  await waitFor('the whole one', () => used.length === 2);
  expect(await shownBy(server)).toBe(await serialIn(next));
  expect(events(told).filter((event) => event === 'peer-certificate-unusable')).toHaveLength(1);
});

test.each<[string, (files: PeerFiles, authority: PeerAuthority) => void, RegExp]>([
  ['removed', ({ key }) => rmSync(key), /tls\.key": ENOENT/],
  [
    'that has expired',
    (files, { filesFor }) => copyOver(filesFor({ ...serving, validity: expired }), files),
    /expired at/,
  ],
  [
    'of another authority',
    (files) => copyFileSync(peerAuthority().filesFor(serving).cert, files.cert),
    /it is not the key of/,
  ],
])(
  'a renewal with one %s keeps the last good one in use until it is put right',
  async (_, spoil, message) => {
    const authority = peerAuthority();
    const { files, server, told, used } = await following(authority);
    const kept = `${files.cert}.kept`;
    for (const path of [files.cert, files.key]) copyFileSync(path, `${path}.kept`);
    const before = await shownBy(server);
    spoil(files, authority);
    const complaint = await waitFor('a complaint', () =>
      told.find(({ event }) => event === 'peer-certificate-unusable'),
    );
    expect(complaint['message']).toMatch(message);
    expect(await shownBy(server)).toBe(before);
    renameSync(kept, files.cert);
    renameSync(`${files.key}.kept`, files.key);
    await waitFor('it to be told', () => events(told).includes('peer-certificate-usable'));
    expect(used).toHaveLength(1);
  },
);

test('a swapped symbolic link is a renewal, as cert-manager and kubelet make it', async () => {
  const authority = peerAuthority();
  const { files, used } = await following(authority);
  const next = authority.filesFor(serving);
  for (const name of ['cert', 'key'] as const) {
    symlinkSync(next[name], `${files[name]}.link`);
    renameSync(`${files[name]}.link`, files[name]);
  }
  await waitFor('the next one', () => used.length === 2);
  expect(used[1]?.leaf.serialNumber).toBe(await serialIn(next));
});

test('an authority takes the place of another one without a gap', async () => {
  const [old, next] = [peerAuthority(), peerAuthority()];
  const { files, server, used } = await following(old);
  const both = readFileSync(old.certFile, 'utf8') + readFileSync(next.certFile, 'utf8');
  const client = { ...(await old.credentialsFor(asking)), ca: both };
  writeFileSync(files.ca, both);
  await waitFor('both authorities', () => used.length === 2);
  const newClient = { ...(await next.credentialsFor(asking)), ca: both };
  expect(await server.ask(client)).toMatchObject({ kind: 'answer' });
  expect(await server.ask(newClient)).toMatchObject({ kind: 'answer' });
  copyOver(next.filesFor(serving), files);
  await waitFor('the new one alone', () => used.at(-1)?.ca === readFileSync(next.certFile, 'utf8'));
  expect(await server.ask(newClient)).toMatchObject({ kind: 'answer' });
  expect(await server.ask(client)).toMatchObject({ kind: 'problem' });
});

test('files that are not there yet are told once, and used when they come', async () => {
  const authority = peerAuthority();
  const files = authority.filesFor(serving);
  renameSync(files.cert, `${files.cert}.later`);
  const told: Record<string, unknown>[] = [];
  const used: PeerCredentials[] = [];
  const stop = new AbortController();
  const done = keepCredentials(
    files,
    { log: (event) => told.push({ ...event }), use: (each) => used.push(each) },
    stop.signal,
    20,
  );
  await waitFor('it to be told', () => told.length === 1);
  renameSync(`${files.cert}.later`, files.cert);
  await waitFor('it to be used', () => used.length === 1);
  stop.abort();
  await done;
  expect(events(told)).toEqual(['peer-certificate-unusable', 'peer-certificate-loaded']);
});
