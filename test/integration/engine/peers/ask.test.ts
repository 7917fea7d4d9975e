import { expect, test } from 'vitest';
import { fetchPeerStatus } from '../../../../src/engine/peers/fetch-peer-status.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { peerAuthority } from '../../../helpers/peers/peer-files.ts';
import { asking, peerScene, serving } from '../../../helpers/peers/peer-scene.ts';
import { type NodeStatus, nodeStatusSchema } from '../../../helpers/status-types.ts';

const nothingKnown: NodeStatus = {
  ...{ v: 1, at: '2026-11-21T12:00:00Z', node: 'cp-1', programs: [], servers: null },
  ...{ haproxySupervisor: null, haproxyMonitor: null, keepalivedSupervisor: null, keepalivedMonitor: null },
};
const cp1 = { name: 'cp-1', address: '127.0.0.1' };
const never = new AbortController().signal;

async function answering(status: () => Promise<string>) {
  const authority = peerAuthority();
  // Longer than any test: that the wait ends must be the asking side's own doing.
  const limits = { connectionMs: 600_000 };
  const { port } = await peerScene(await authority.credentialsFor(serving), { status }, limits);
  const access = { credentials: await authority.credentialsFor(asking), port };
  return async (timeoutMs = 20_000, signal = never) =>
    await fetchPeerStatus(cp1, nodeStatusSchema, access, { timeoutMs, signal });
}

test('what a peer publishes arrives as it was', async () => {
  const ask = await answering(async () => JSON.stringify(nothingKnown));
  expect(await ask()).toEqual({ kind: 'published', status: nothingKnown });
});

test('fields of a later version are left out', async () => {
  const ask = await answering(async () => JSON.stringify({ ...nothingKnown, more: { than: 'known' } }));
  expect(await ask()).toEqual({ kind: 'published', status: nothingKnown });
});

test.each([
  ['another version', { ...nothingKnown, v: 2 }, 'version 2'],
  ['a field that is missing', { ...nothingKnown, node: undefined }, 'no "node"'],
  ['a field of another kind', { ...nothingKnown, programs: [{ name: 'other' }] }, 'no "programs.0.name"'],
  ['no object', [1], 'no ""'],
])('%s is a problem, not a status', async (_, value, what) => {
  const ask = await answering(async () => JSON.stringify(value));
  expect(await ask()).toEqual({
    kind: 'problem',
    problem: `its answer is not what this version understands: ${what}`,
  });
});

test('a long answer and none in time are problems', async () => {
  const long = await answering(async () => JSON.stringify({ ...nothingKnown, node: 'x'.repeat(1_000_001) }));
  expect(await long()).toEqual({ kind: 'problem', problem: 'its answer is longer than 1000000 bytes' });
  const hung = await answering(() => new Promise(() => undefined));
  expect(await hung(200)).toEqual({ kind: 'problem', problem: 'no answer within 200 ms' });
});

test('a caller that stops waiting gets an answer at once', async () => {
  const stop = new AbortController();
  const hung = await answering(async () => {
    stop.abort();
    return await new Promise(() => undefined);
  });
  expect(await hung(20_000, stop.signal)).toEqual({ kind: 'problem', problem: 'it was not waited for' });
});

test('a peer that does not listen is told as what it most likely is', async () => {
  const credentials = await peerAuthority().credentialsFor(asking);
  const port = await freePort();
  const limits = { timeoutMs: 20_000, signal: never };
  expect(await fetchPeerStatus(cp1, nodeStatusSchema, { credentials, port }, limits)).toEqual({
    kind: 'problem',
    problem: `nothing listens at 127.0.0.1 port ${port}: its keepalived monitor is down, or has no --peer-tls-… files`,
  });
});
