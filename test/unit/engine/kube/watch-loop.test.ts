import { expect, test } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import type { ListedObjects } from '../../../../src/engine/kube/object-store.ts';
import { createResourceView } from '../../../../src/engine/kube/resource-view.ts';
import { defaultTiming } from '../../../../src/engine/kube/timing.ts';
import { pollPauseMs, pollTimeoutMs, runWatchLoop } from '../../../../src/engine/kube/watch-loop.ts';

test.each([
  [300, 5_000, 2_000],
  [2_500, 5_000, 2_500],
  [60_000, 5_000, 5_000],
  [300, 1_000, 1_000],
])(
  'polls every %i ms with a request timeout of %i ms time out after %i ms',
  (intervalMs, requestTimeoutMs, limitMs) => {
    expect(pollTimeoutMs(intervalMs, { requestTimeoutMs })).toBe(limitMs);
  },
);

test.each([
  [2, 20, 100_000, 200_000],
  [2, 6_000, 10, 6_000],
  [1_000_000, 20, 100_000, 600_000],
])(
  'a poll of %i objects every %i ms at %i ms per object pauses for %i ms',
  (objects, intervalMs, perObjectMs, pauseMs) => {
    const timing = { pollPauseMsPerObject: perObjectMs, resyncMs: 600_000 };
    expect(pollPauseMs(intervalMs, objects, timing)).toBe(pauseMs);
  },
);

const target = { base: { url: 'https://cp-1:6443' } } as ApiTarget;
const failure: ApiFailure = { kind: 'failure', status: undefined, message: 'connect ECONNREFUSED' };
const listOf = (...names: readonly string[]): ListedObjects<string> => ({
  resourceVersion: '1',
  objects: new Map(names.map((name) => [name, { resourceVersion: '1', value: name }])),
});

test.each<[string, true | undefined, readonly (ListedObjects<string> | ApiFailure)[], string[], string[]]>([
  ['lost, of a kind that may lose them', undefined, [listOf()], [], []],
  ['kept for the most part', true, [listOf('a', 'b')], ['a', 'b'], []],
  ['lost in two lists', true, [listOf(), listOf('a')], ['a'], ['list-doubted', 'list-confirmed']],
  ['back in a second list', true, [listOf(), listOf('a', 'c')], ['a', 'c'], ['list-doubted', 'list-refuted']],
  ['not listed', true, [failure], ['a', 'b', 'c'], ['api-unavailable']],
  [
    'lost, and then not listed',
    true,
    [listOf(), failure],
    ['a', 'b', 'c'],
    ['list-doubted', 'api-unavailable'],
  ],
])('of objects that are %s', async (_what, doubtsLoss, answers, known, reported) => {
  const stop = new AbortController();
  const events: string[] = [];
  const report = ({ event }: { readonly event: string }) => void events.push(event);
  const resource = {
    apiVersion: 'v1',
    plural: 'nodes',
    what: 'nodes',
    project: String,
    ...(doubtsLoss && { doubtsLoss }),
  };
  const view = createResourceView<string>([resource], { report }, () => undefined);
  view.relisted(resource, listOf('a', 'b', 'c'), '');
  const left = [...answers];
  const firstAnswer = async () => {
    const next = left.shift();
    if (next === undefined) stop.abort();
    return next === undefined || 'kind' in next
      ? ((next as ApiFailure) ?? failure)
      : { kind: 'answered', answer: next, target };
  };
  const session = { firstAnswer } as unknown as ApiSession;
  const timing = { ...defaultTiming, doubtPauseMs: 0, backoffFirstMs: 0, backoffCapMs: 0 };
  await runWatchLoop(resource, { session, view, report, timing, signal: stop.signal });
  expect([view.objects(), events]).toEqual([known, reported]);
});
