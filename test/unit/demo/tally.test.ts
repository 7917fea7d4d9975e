import { expect, it } from 'vitest';
import type { RequestResult } from '../../../scripts/demo/request-result.ts';
import { type Harm, verdictOf } from '../../../scripts/demo/tally.ts';

const ok: RequestResult = { target: 'the VIP', startedAtMs: 100, endedAtMs: 110, heldMs: 0, server: 'cp-1' };
const failed = (startedAtMs: number, endedAtMs: number, server?: string): RequestResult => ({
  ...{ target: 'the VIP', startedAtMs, endedAtMs, heldMs: 0, failure: 'ECONNRESET' },
  ...(server === undefined ? {} : { server }),
});
const serverKilled: Harm = { kind: 'server', name: 'cp-2', fromMs: 1_000, untilMs: 1_010 };
const workerKilled: Harm = { kind: 'worker', name: 'worker', fromMs: 1_000, untilMs: 1_300 };

it('an answered request is ok, whatever was killed meanwhile', () => {
  expect(verdictOf({ ...ok, startedAtMs: 999, endedAtMs: 1_005 }, [serverKilled])).toBe('ok');
});

it('a request that fails while nothing was killed is lost', () => {
  expect(verdictOf(failed(100, 200, 'cp-2'), [])).toBe('lost');
  expect(verdictOf(failed(100, 999, 'cp-2'), [serverKilled])).toBe('lost');
});

it('a request on the killed server when it was killed is cut, on another one it is lost', () => {
  expect(verdictOf(failed(900, 1_001, 'cp-2'), [serverKilled])).toBe('cut');
  expect(verdictOf(failed(900, 1_001), [serverKilled])).toBe('cut');
  expect(verdictOf(failed(900, 1_001, 'cp-3'), [serverKilled])).toBe('lost');
});

it('a request begun after the server was dead must succeed', () => {
  expect(verdictOf(failed(1_011, 1_500, 'cp-2'), [serverKilled])).toBe('lost');
  expect(verdictOf(failed(1_011, 1_500), [serverKilled])).toBe('lost');
});

it('a request begun while the worker was being replaced is cut, after that it is lost', () => {
  expect(verdictOf(failed(1_299, 1_299), [workerKilled])).toBe('cut');
  expect(verdictOf(failed(1_301, 1_302), [workerKilled])).toBe('lost');
});

it('a kill that is still going on counts', () => {
  expect(verdictOf(failed(5_000, 5_001), [{ ...workerKilled, untilMs: undefined }])).toBe('cut');
});
