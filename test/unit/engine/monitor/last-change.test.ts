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

/** The last change after these attempts, one per second. */
const after = (...attempts: readonly (readonly [Origin, ApplyOutcome])[]) => {
  const last = attempts.reduce<LastChange | undefined>(
    (before, [from, outcome], second) => nextChange(before, from, outcome, second * 1_000),
    undefined,
  );
  return last && [last.cause, last.outcome.kind, last.atMs];
};

test('the cause of the first configuration is the start, and an unchanged one is not a change', () => {
  const first = origin('x');
  expect(after([first, unchanged])).toEqual(['start', 'unchanged', 0]);
  expect(after([first, reloaded], [first, unchanged], [first, unchanged])).toEqual(['start', 'reloaded', 0]);
});

test('the cause is the first part that changed, or else the template', () => {
  const first = [origin('x'), reloaded] as const;
  expect(after(first, [origin('y', 'a b c'), reloaded])).toEqual(['servers-changed', 'reloaded', 1_000]);
  expect(after(first, [origin('y', 'a', 'eth1'), reloaded])?.[0]).toBe('network-changed');
  expect(after(first, [origin('y'), reloaded])?.[0]).toBe('template-changed');
});

test('a changed part that left the text unchanged is not the cause of a later template change', () => {
  const attempts = [origin('x'), origin('x', 'b a'), origin('y', 'b a')].map((each, at) => {
    return [each, at === 1 ? unchanged : reloaded] as const;
  });
  expect(after(...attempts)?.[0]).toBe('template-changed');
});

test('if the same text had to be applied again, it was edited on disk', () => {
  const first = [origin('x'), reloaded] as const;
  expect(after(first, first)).toEqual(['edited', 'reloaded', 1_000]);
});

test('a repeated refusal keeps its cause and time; the recovery keeps the cause', () => {
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
