import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiServer } from '../../../../../src/engine/kube/api-server.ts';
import {
  countPoll,
  lossDecision,
  lostServers,
  type PollAgreement,
} from '../../../../../src/engine/monitor/servers/loss-guard.ts';

const server = (id: number): ApiServer => ({ name: `cp-${id}`, address: `10.0.0.${id}`, port: 6443 });
const servers = (...ids: number[]) => ids.map(server);
const three = servers(1, 2, 3);
const agreed = (list: readonly ApiServer[], polls = 3): PollAgreement => ({ servers: list, polls });
const nothing = { agreement: undefined, failedProbe: [] };

test('an empty list is never applied, even if all polls agree', () => {
  const everything = { agreement: agreed([], 99), failedProbe: three };
  expect(lossDecision({ current: three, candidate: [], ...everything })).toEqual({
    kind: 'hold',
    reason: 'empty-list',
    probe: three,
  });
  expect(lossDecision({ current: undefined, candidate: [], ...everything })).toMatchObject({ kind: 'hold' });
});

test.each([undefined, []])('a cold start (%j) accepts any list that is not empty', (current) => {
  expect(lossDecision({ current, candidate: servers(1), ...nothing })).toEqual({ kind: 'apply' });
});

test('a list that loses at most half of the servers is applied', () => {
  expect(lossDecision({ current: three, candidate: servers(1, 2), ...nothing })).toEqual({ kind: 'apply' });
  expect(lossDecision({ current: servers(1, 2), candidate: servers(1), ...nothing })).toEqual({
    kind: 'apply',
  });
});

test('a list that loses more than half waits for three polls, then for every probe to fail', () => {
  const question = { current: three, candidate: servers(1) };
  const held = { kind: 'hold', probe: servers(2, 3) };
  const notYet = { ...held, reason: 'polls-disagree' };
  expect(lossDecision({ ...question, ...nothing })).toEqual(notYet);
  expect(lossDecision({ ...question, agreement: agreed(servers(1), 2), failedProbe: three })).toEqual(notYet);
  expect(lossDecision({ ...question, agreement: agreed(servers(2), 3), failedProbe: three })).toEqual(notYet);
  const stillReady = { ...held, reason: 'missing-servers-still-answer' };
  expect(lossDecision({ ...question, agreement: agreed(servers(1)), failedProbe: servers(2) })).toEqual(
    stillReady,
  );
  expect(lossDecision({ ...question, agreement: agreed(servers(1)), failedProbe: servers(2, 3) })).toEqual({
    kind: 'apply',
  });
});

test('replacing every server counts as losing all of them', () => {
  expect(lossDecision({ current: three, candidate: servers(4, 5, 6), ...nothing })).toMatchObject({
    probe: three,
  });
});

test('a renamed server is not lost', () => {
  const renamed = three.map((item) => ({ ...item, name: `${item.name}.example.com` }));
  expect(lossDecision({ current: three, candidate: renamed, ...nothing })).toEqual({ kind: 'apply' });
});

test('polls count, watch events do not, and another list resets the count', () => {
  const one = servers(1);
  const first = countPoll(undefined, 'poll', one);
  const second = countPoll(countPoll(first, 'watch', one), 'poll', one);
  expect([first.polls, second.polls]).toEqual([1, 2]);
  expect(countPoll(second, 'watch', servers(2))).toEqual({ servers: servers(2), polls: 0 });
  expect(countPoll(countPoll(second, 'poll', servers(2)), 'poll', one).polls).toBe(1);
});

test('property: an applied list is not empty, and keeps half or is confirmed by polls and probes', () => {
  const list = fc.uniqueArray(fc.integer({ min: 1, max: 5 })).map((ids) => servers(...ids));
  const polls = fc.array(
    fc.record({ via: fc.constantFrom('watch' as const, 'poll' as const), isCandidate: fc.boolean() }),
  );
  fc.assert(
    fc.property(list, list, list, polls, (current, candidate, failedProbe, seen) => {
      let agreement: PollAgreement | undefined;
      for (const { via, isCandidate } of seen)
        agreement = countPoll(agreement, via, isCandidate ? candidate : servers(9));
      const decision = lossDecision({ current, candidate, agreement, failedProbe });
      const lost = lostServers(current, candidate);
      if (decision.kind === 'hold') {
        expect(decision.probe).toEqual(lost);
        return;
      }
      expect(candidate).not.toEqual([]);
      if (lost.length * 2 <= current.length) return;
      const lastOther = seen.findLastIndex((item) => !item.isCandidate);
      const inARow = seen.slice(lastOther + 1).filter((item) => item.via === 'poll');
      expect(inARow.length).toBeGreaterThanOrEqual(3);
      expect(lostServers(lost, failedProbe)).toEqual([]);
    }),
  );
});
