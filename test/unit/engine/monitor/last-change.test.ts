import { expect, test } from 'vitest';
import type { ApplyOutcome } from '../../../../src/engine/config/outcome.ts';
import { type LastChange, nextChange, type Origin } from '../../../../src/engine/monitor/last-change.ts';

const unchanged: ApplyOutcome = { kind: 'unchanged' };
const reloaded: ApplyOutcome = { kind: 'reloaded' };
const rejected = (message: string): ApplyOutcome => ({ kind: 'rejected', by: 'check', message, detail: '' });

const origin = (text: string, servers = 'a b', network = 'eth0'): Origin => ({
  text,
  parts: { 'network-changed': network, 'servers-changed': servers },
});

/** What is known after these attempts, one a second. */
const after = (...attempts: readonly (readonly [Origin, ApplyOutcome])[]) => {
  const last = attempts.reduce<LastChange | undefined>(
    (before, [from, outcome], second) => nextChange(before, from, outcome, second * 1_000),
    undefined,
  );
  return last && [last.cause, last.outcome.kind, last.atMs];
};

test('the first configuration comes from the start, and finding it in place again is no change', () => {
  const first = origin('x');
  expect(after([first, unchanged])).toEqual(['start', 'unchanged', 0]);
  expect(after([first, reloaded], [first, unchanged], [first, unchanged])).toEqual(['start', 'reloaded', 0]);
});

test('the changed part is the cause, the first of several, and otherwise the template', () => {
  const first = [origin('x'), reloaded] as const;
  expect(after(first, [origin('y', 'a b c'), reloaded])).toEqual(['servers-changed', 'reloaded', 1_000]);
  expect(after(first, [origin('y', 'a', 'eth1'), reloaded])?.[0]).toBe('network-changed');
  expect(after(first, [origin('y'), reloaded])?.[0]).toBe('template-changed');
});

test('a part that changes nothing in the text is not what a later change of the template came from', () => {
  const attempts = [origin('x'), origin('x', 'b a'), origin('y', 'b a')].map((each, at) => {
    return [each, at === 1 ? unchanged : reloaded] as const;
  });
  expect(after(...attempts)?.[0]).toBe('template-changed');
});

test('the same text that had to be applied again was edited on disk', () => {
  const first = [origin('x'), reloaded] as const;
  expect(after(first, first)).toEqual(['edited', 'reloaded', 1_000]);
});

test('a refusal keeps its cause and its time while it is repeated, and its cause when it is overcome', () => {
  const first = [origin('x'), reloaded] as const;
  const bad = [origin('y', 'c'), rejected('no')] as const;
  expect(after(first, bad, bad, bad)).toEqual(['servers-changed', 'rejected', 1_000]);
  expect(after(first, bad, [bad[0], rejected('still no')])).toEqual(['servers-changed', 'rejected', 2_000]);
  expect(after(first, bad, [bad[0], reloaded])).toEqual(['servers-changed', 'reloaded', 2_000]);
  expect(after(first, bad, [first[0], unchanged])).toEqual(['servers-changed', 'unchanged', 2_000]);
});

test('a runtime update that validation refuses is not reported as edited on disk', () => {
  const verdict = { kind: 'rejected', by: 'check', message: 'no', detail: '', isRunning: true } as const;
  const attempts = [
    [origin('x'), reloaded],
    [origin('y', 'c'), reloaded],
    [origin('y', 'c'), verdict],
  ] as const;
  expect(after(...attempts)).toEqual(['servers-changed', 'rejected', 2_000]);
});
