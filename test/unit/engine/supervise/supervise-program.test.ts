import { expect, test } from 'vitest';
import { answerTo } from '../../../../src/engine/supervise/supervise-program.ts';

const supervised = {
  answers: { reload: () => ({ ok: true }) as const },
  orders: { change: async (rest: string) => ({ ok: false, stage: 'protocol', message: rest }) as const },
};

test.each([
  ['reload', { ok: true }],
  ['change {"a": 1}', { ok: false, stage: 'protocol', message: '{"a": 1}' }],
  ...['reload now', 'toString', 'constructor x', ''].map((line): [string, object] => [
    line,
    {
      ok: false,
      stage: 'protocol',
      message: `Cannot answer "${line}": unknown request, expected "reload"`,
    },
  ]),
])('the request %j is answered, or refused as unknown', async (line, answer) => {
  expect(await answerTo(line, supervised)).toEqual(answer);
});
