import { expect, test } from 'vitest';
import { createRecentChanges } from '../../../../src/router/serve/recent-changes.ts';

function recorded() {
  let nowMs = 0;
  const { observer, view } = createRecentChanges(() => nowMs);
  const note = (
    ...[outcome, cause = 'routes-changed']: [Parameters<NonNullable<typeof observer.onOutcome>>[0], string?]
  ) => {
    nowMs += 1_000;
    observer.onOutcome?.(outcome, 20.4, cause);
  };
  return { note, view };
}

test('reloads, runtime updates and failures are counted, unchanged outcomes are not', () => {
  const { note, view } = recorded();
  note({ kind: 'reloaded' }, 'start');
  note({ kind: 'unchanged' });
  note({ kind: 'reloaded', atRunTime: true, commands: 3 });
  note({ kind: 'reloaded', reason: 'a backend is new' });
  note({ kind: 'unreachable', message: 'nothing listens' });
  expect(view()).toMatchObject({ reloads: 2, withoutReload: 1, failed: 1 });
  expect(view().last).toEqual([
    { cause: 'routes-changed', result: 'unreachable', message: 'nothing listens', tookMs: 20, agoMs: 0 },
    { cause: 'routes-changed', result: 'reloaded', message: 'a backend is new', tookMs: 20, agoMs: 1_000 },
    { cause: 'routes-changed', result: 'changed', tookMs: 20, agoMs: 2_000 },
    { cause: 'start', result: 'reloaded', tookMs: 20, agoMs: 4_000 },
  ]);
});

test("a configuration that is retried is listed once, with HAProxy's error", () => {
  const { note, view } = recorded();
  note({ kind: 'reloaded' }, 'start');
  const detail = "[ALERT]    (12) : config : parsing [/x.cfg:3] : unknown keyword 'wrong'";
  for (let tries = 0; tries < 3; tries++)
    note({ kind: 'rejected', by: 'check', message: 'Cannot use it', detail });
  expect(view().failed).toBe(3);
  expect(view().last.map(({ message }) => message)).toEqual(["unknown keyword 'wrong'", undefined]);
});

test('the record keeps a limited number of changes', () => {
  const { note, view } = recorded();
  for (let changes = 0; changes < 50; changes++) note({ kind: 'reloaded' });
  expect(view().last).toHaveLength(10);
});
