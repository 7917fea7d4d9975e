import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiServer } from '../../../../../src/engine/kube/api-server.ts';
import {
  type DesiredServers,
  decideDesired,
  recordApplied,
  recordObserved,
  startDesired,
} from '../../../../../src/engine/monitor/servers/desired-servers.ts';

const SETTLE_MS = 500;

const serversNamed = (...numbers: readonly number[]): readonly ApiServer[] =>
  numbers.map((number) => ({ name: `cp-${number}`, address: `10.0.0.${number}`, port: 6443 }));

const three = serversNamed(1, 2, 3);
const four = serversNamed(1, 2, 3, 4);

const polled = (desired: DesiredServers, servers: readonly ApiServer[], now: number) =>
  recordObserved(desired, { via: 'poll', servers }, now);

test('a first list is applied once it is stable', () => {
  const desired = polled(startDesired(undefined, SETTLE_MS), three, 0);
  expect(decideDesired(desired, 100)).toEqual({ kind: 'wait', recheckInMs: 400 });
  expect(decideDesired(desired, 500)).toEqual({ kind: 'apply', servers: three });
});

test('a list that changes back while another one is being applied is not forgotten', () => {
  const serving = recordApplied(polled(startDesired(undefined, SETTLE_MS), four, 0), four, 500);
  const applying = polled(serving, three, 600);
  expect(decideDesired(applying, 1_100)).toEqual({ kind: 'apply', servers: three });
  const changedMeanwhile = polled(applying, four, 1_150);
  const done = recordApplied(changedMeanwhile, three, 1_200);
  expect(decideDesired(done, 1_700)).toEqual({ kind: 'apply', servers: four });
});

test('after a restart the first list is compared with the last-known list', () => {
  const desired = polled(startDesired(three, SETTLE_MS), serversNamed(1), 0);
  expect(decideDesired(desired, 500)).toMatchObject({
    kind: 'hold',
    reason: 'polls-disagree',
  });
});

test('a probe that failed counts for one loss only', () => {
  const [one, lost] = [serversNamed(1), serversNamed(2, 3)];
  const served = recordApplied(polled(startDesired(undefined, SETTLE_MS), three, 0), three, 500);
  const shrunk = (before: DesiredServers) =>
    [1_000, 2_000, 3_000].reduce((desired, now) => polled(desired, one, now), before);
  const failed = polled({ ...shrunk(served), failedProbe: lost }, one, 4_000);
  expect(decideDesired(failed, 5_000)).toEqual({ kind: 'apply', servers: one });
  const again = shrunk(polled(failed, three, 5_000));
  expect(decideDesired(again, 6_000)).toMatchObject({ kind: 'hold', reason: 'missing-servers-still-answer' });
});

test('after any events, a stable list that loses no majority is applied in the end', () => {
  const step = fc.record({ list: fc.constantFrom(three, four), passMs: fc.nat(800), apply: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(three, four), (steps, last) => {
      let desired = startDesired(undefined, SETTLE_MS);
      let now = 0;
      let underWay: readonly ApiServer[] | undefined;
      for (const { list, passMs, apply } of steps) {
        now += passMs;
        if (apply && underWay !== undefined) desired = recordApplied(desired, underWay, now);
        desired = polled(desired, list, now);
        const decision = decideDesired(desired, now);
        underWay = decision.kind === 'apply' ? decision.servers : undefined;
      }
      if (underWay !== undefined) desired = recordApplied(desired, underWay, now);
      desired = polled(desired, last, now);
      const decision = decideDesired(desired, now + SETTLE_MS);
      const wanted = decision.kind === 'apply' ? decision.servers : desired.settling.applied;
      expect(wanted).toEqual(last);
    }),
  );
});

test('a list that keeps changing is applied after ten times the settling time', () => {
  let desired = polled(startDesired(undefined, SETTLE_MS), three, 0);
  for (let now = 400; now <= 4_800; now += 400) {
    desired = polled(desired, serversNamed(1, 2, 3, 4 + now / 400), now);
    expect(decideDesired(desired, now).kind).toBe('wait');
  }
  expect(decideDesired(desired, 5_000)).toEqual({ kind: 'apply', servers: desired.latest });
});

test('a list that keeps changing and loses a majority is still held', () => {
  let desired = startDesired(three, SETTLE_MS);
  for (let now = 0; now <= 6_000; now += 400) desired = polled(desired, serversNamed(1, 4 + now / 400), now);
  expect(decideDesired(desired, 6_000)).toMatchObject({ kind: 'hold', reason: 'polls-disagree' });
});
