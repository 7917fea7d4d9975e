import { expect, test } from 'vitest';
import { createSupervision } from '../../../../src/engine/supervise/supervision.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';

type Event = { readonly kind: 'ask' | 'undecidable'; readonly request: number } | { readonly kind: 'tick' };
type Own = { readonly kind: 'breaks'; readonly request: number };

function scene() {
  const logged: LogEvent[] = [];
  const failed: string[] = [];
  const supervision = createSupervision<null, Event, Own, object>(
    null,
    {
      advance: (state, event) => {
        if (event.kind === 'undecidable') throw new Error('no rule for it');
        if (event.kind === 'tick') return { state, actions: [{ kind: 'finish' }] };
        return { state, actions: [{ kind: 'breaks', request: event.request }] };
      },
      nextDeadline: () => undefined,
      tick: { kind: 'tick' },
      limitMs: () => 60_000,
    },
    {
      log: (event) => void logged.push(event),
      keep: () => undefined,
      act: () => {
        throw new Error('EIO');
      },
      outcomeOfFailed: (action, message) => {
        failed.push(`${action.kind}: ${message}`);
        return { kind: 'tick' };
      },
    },
  );
  return { supervision, logged, failed };
}

test('a request whose decision throws is answered and logged', async () => {
  const { supervision, logged, failed } = scene();
  const answer = await supervision.ask((request) => ({ kind: 'undecidable', request }));
  expect(answer).toEqual({
    ok: false,
    stage: 'internal',
    message: 'Cannot handle the request: no rule for it',
  });
  expect(logged).toMatchObject([{ event: 'internal-error', level: 'error', during: 'event undecidable' }]);
  expect(failed).toEqual([]);
});

test('an action that throws has the outcome that its program returns', async () => {
  const { supervision, logged, failed } = scene();
  let isAnswered = false;
  void supervision
    .ask((request) => ({ kind: 'ask', request }))
    .then(() => {
      isAnswered = true;
    });
  await supervision.finished;
  expect(failed).toEqual(['breaks: EIO']);
  expect(logged).toMatchObject([{ during: 'action breaks', message: 'EIO' }]);
  expect(isAnswered).toBe(false);
});
