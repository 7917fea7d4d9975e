import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { createMembershipSequencer } from '../../../../src/vip/configuration/membership.ts';
import type { VrrpInput } from '../../../../src/vip/group/vrrp.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
let asked: string[];
let logged: LogEvent[];
/** How often the supervisor had been asked when this node was excluded. */
let excluded: number[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-membership-'));
  writeFileSync(join(dir, 'keepalived.conf'), 'old');
  writeFileSync(join(dir, 'keepalived.conf.last-good'), 'old');
  [asked, logged, excluded] = [[], [], []];
});
afterEach(() => rmSync(dir, { recursive: true }));

const sequencer = () =>
  createMembershipSequencer(
    { socket: join(dir, 'keepalived.sock'), config: join(dir, 'keepalived.conf') },
    { onExcluded: () => void excluded.push(asked.length) },
    {
      metrics: createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry()),
      once: createOnce(),
      log: (event) => void logged.push(event),
    },
  );

async function supervisor(answer: Answer = { ok: true }): Promise<AsyncDisposable> {
  const control = await serveControlSocket(join(dir, 'keepalived.sock'), async (line) => {
    asked.push(line);
    return answer;
  });
  if (control.kind === 'in-use') throw new Error('the socket is in use');
  return { [Symbol.asyncDispose]: control.close };
}

const listing = (...names: readonly string[]): { input: VrrpInput; lookAgainInMs: undefined } => ({
  input: {
    settings: {
      ...{ clusterName: 'c' },
      ...{
        apiVips: ['10.0.0.100'],
        ingressVips: [],
        nodeName: 'a',
        notifyFifo: '/f',
        trackFiles: { api: '/t', ingress: '/i' },
      },
    },
    controlPlane: names.map((name) => ({ name, addresses: [`10.0.0.${name.charCodeAt(0)}`] })),
    ...{ allNodes: [], interfaces: [], routes: [] },
  },
  lookAgainInMs: undefined,
});
const believed = { isBelieved: true, isExpected: () => false };
const unconfirmed = { ...believed, isBelieved: false };
const { signal } = new AbortController();
const events = () => logged.map(({ event }) => event);

test('a node that is not listed leaves, though its monitor never saw it as a member', async () => {
  await using _ = await supervisor();
  const membership = sequencer();
  await membership.inTurn(listing('b', 'c'), believed, signal);
  expect(membership.isExcluded()).toBe(true);
  expect(asked).toEqual(['leave']);
  expect(readdirSync(dir).sort()).toEqual(['keepalived.conf.left', 'keepalived.sock']);
  expect(events()).toEqual(['left-the-group']);
});

test('leaving is repeated until the supervisor has answered, and once more when it was restarted', async () => {
  const membership = sequencer();
  expect((await membership.inTurn(listing('b', 'c'), believed, signal)).lookAgainInMs).toBeGreaterThan(0);
  {
    await using _ = await supervisor({ ok: false, stage: 'stop', message: 'no' });
    expect((await membership.inTurn(listing('b', 'c'), believed, signal)).lookAgainInMs).toBeGreaterThan(0);
  }
  for (let restarts = 0; restarts < 2; restarts += 1) {
    await using _ = await supervisor();
    expect((await membership.inTurn(listing('b', 'c'), believed, signal)).lookAgainInMs).toBeUndefined();
  }
  expect(asked).toEqual(['leave', 'leave', 'leave']);
  expect(excluded).toEqual([0]);
});

test('an unconfirmed list makes no node leave', async () => {
  await using _ = await supervisor();
  const membership = sequencer();
  await membership.inTurn(listing('b', 'c'), unconfirmed, signal);
  expect(membership.isExcluded()).toBe(false);
  expect(asked).toEqual([]);
  expect(existsSync(join(dir, 'keepalived.conf'))).toBe(true);
});

test('a node that is listed again waits for the others as one that joins', async () => {
  await using _ = await supervisor();
  const membership = sequencer();
  const all = listing('a', 'b', 'c');
  if (all.input !== undefined) membership.markServed(all.input);
  expect((await membership.inTurn(all, believed, signal)).input).toBe(all.input);
  await membership.inTurn(listing('b', 'c'), believed, signal);
  const back = await membership.inTurn(all, believed, signal);
  expect(membership.isExcluded()).toBe(false);
  expect(back.input).toBeUndefined();
  expect(back.lookAgainInMs).toBeGreaterThan(0);
});

test('a node that comes back to its own group, whose holder it hears, has its turn before one that joins', async () => {
  const order: string[] = [];
  const arrive = async (name: string, isExpected: boolean) => {
    const membership = sequencer();
    const standing = { isBelieved: true, isExpected: () => isExpected };
    const turn = async () => (await membership.inTurn(listing('a', 'b', 'c'), standing, signal)).input;
    await waitFor(`the turn of who ${name}`, turn);
    order.push(name);
  };
  await Promise.all([arrive('joins', false), arrive('returns', true)]);
  expect(order).toEqual(['returns', 'joins']);
});

test('a node looks often whether the segment shows that it is known, because nobody wakes it then', async () => {
  const { lookAgainInMs } = await sequencer().inTurn(listing('a', 'b', 'c'), believed, signal);
  expect(lookAgainInMs).toBeLessThan(500);
});

test('a node that was taken off the list in this run waits as one that joins, whatever the segment shows', async () => {
  await using _ = await supervisor();
  const membership = sequencer();
  await membership.inTurn(listing('b', 'c'), believed, signal);
  let looks = 0;
  const isExpected = () => {
    looks += 1;
    return true;
  };
  const back = await membership.inTurn(listing('a', 'b', 'c'), { isBelieved: true, isExpected }, signal);
  expect(back.lookAgainInMs).toBeGreaterThan(2_000);
  expect(looks).toBe(0);
});

test('a node that is replaced in one step is forgotten late, and the one in its place is added at once', async () => {
  const membership = sequencer();
  const names = (input: VrrpInput | undefined) => input?.controlPlane.map(({ name }) => name);
  const before = listing('a', 'b', 'c').input;
  const after = listing('a', 'b', 'd');
  membership.markServed(before);
  const first = await membership.inTurn(after, believed, signal);
  expect(names(first.input)).toEqual(['a', 'b', 'd', 'c']);
  expect(first.lookAgainInMs).toBeGreaterThan(0);
  if (first.input !== undefined) membership.markServed(first.input);
  const second = await membership.inTurn(after, believed, signal);
  expect(second.input).toBeUndefined();
  expect(second.lookAgainInMs).toBeGreaterThan(0);
  const third = await waitFor('its turn', async () => {
    const { input, lookAgainInMs } = await membership.inTurn(after, believed, signal);
    return input && { input, lookAgainInMs };
  });
  expect(third).toEqual(after);
});
