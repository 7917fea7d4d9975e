import { expect, test } from 'vitest';
import type { CheckOutcome } from '../../../../src/engine/config/check.ts';
import type { ProxyDriver } from '../../../../src/haproxy/program.ts';
import { act } from '../../../../src/haproxy/supervise/act.ts';
import { answerToCheck } from '../../../../src/haproxy/supervise/supervisor.ts';

const message = 'unknown keyword';
const outcomes: readonly (readonly [CheckOutcome, failure: object | undefined, answer: object])[] = [
  [{ kind: 'valid' }, undefined, { ok: true }],
  [
    { kind: 'invalid', message, detail: 'line 3' },
    { stage: 'check', message, detail: 'line 3' },
    { ok: false, stage: 'check', message, detail: 'line 3' },
  ],
  [
    { kind: 'impossible', message },
    { stage: 'unchecked', message },
    { ok: false, stage: 'unchecked', message },
  ],
];

test.each(outcomes)(
  'a check with the result %j fails the start unless it is valid',
  async (outcome, failure, answer) => {
    const events: object[] = [];
    const program = { check: async () => outcome } as unknown as ProxyDriver;
    const effects = { program, log: () => undefined, dispatch: (event: object) => void events.push(event) };
    await act({ kind: 'check', config: 'live' }, effects);
    expect(events).toEqual([{ kind: 'checked', failure }]);
    expect(answerToCheck(outcome)).toEqual(answer);
  },
);
