import { expect, test } from 'vitest';
import { createHealthVerdict } from '../../../src/commands/keepalived/health-verdict.ts';
import { TRACK } from '../../../src/model/track-value.ts';

const verdictOf = (peersAreOpen: boolean, holder = true, mustLeave = false) => {
  const verdict = createHealthVerdict({
    ...{ kind: 'ingress', profile: () => 'fast' as const, resigns: false, peersAreOpen },
    part: () => ({ role: holder ? 'holder' : 'backup', ageMs: 0 }) as const,
    isAddressed: () => true,
    mustLeave: () => mustLeave,
  });
  verdict.live('serving');
  return verdict;
};

test('a holder whose server dies is in FAULT while a peer serves', () => {
  const verdict = verdictOf(true);
  verdict.peers(true);
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.fault);
});

test('where no peer serves either nothing moves', () => {
  const verdict = verdictOf(true);
  verdict.peers(false);
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.healthyHolder);
});

test('peers that perhaps nobody can reach are missed only once they have been heard', () => {
  const verdict = verdictOf(false);
  verdict.peers(false);
  verdict.live('hung');
  expect(verdict.value()).toBe(TRACK.fault);
  verdict.peers(true);
  verdict.peers(false);
  expect(verdict.value()).toBe(TRACK.healthyHolder);
});

test('a server that came back once is trusted less for a while, and says why', () => {
  const verdict = verdictOf(true, false);
  verdict.live('dead');
  verdict.live('serving');
  expect(verdict.value()).toBe(TRACK.doubtful);
  expect(verdict.isWell()).toBe(false);
  expect(verdict.explanation()).toMatch(/^damped: the check has failed once/);
});

test('the lower one of two holders leaves, however healthy', () => {
  expect(verdictOf(true, true, true).value()).toBe(TRACK.fault);
});
