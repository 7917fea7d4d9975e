import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectProxy, type ProxyClient } from '../../../../src/engine/config/proxy.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const { signal } = new AbortController();
const update = { from: 'a', to: 'b', changes: [{ kind: 'server' }] };

let directory: string;
let proxy: ProxyClient;
let asked: string[];
let answer: Answer;
let close = async (): Promise<void> => {};
beforeEach(async () => {
  directory = testFolder();
  const socketPath = join(directory, 'master.sock');
  asked = [];
  const served = await serveControlSocket(socketPath, async (line) => {
    asked.push(line);
    return answer;
  });
  if (served.kind === 'serving') close = served.close;
  proxy = connectProxy({ socketPath });
});
afterEach(async () => {
  await close();
});

const refused = (more: object): Answer => ({ ok: false, stage: 'change', message: 'no', ...more });

test.each<[string, Answer, object]>([
  [
    'succeeds and has statistics',
    { ok: true, generation: 3, tookMs: 5, commands: 2 },
    { is: 'done', stats: { generation: 3, tookMs: 5, commands: 2 } },
  ],
  ['conflicts with another revision', refused({ running: 'c' }), { is: 'conflict', running: 'c' }],
  ['conflicts with an unknown revision', refused({ running: null }), { is: 'conflict', running: undefined }],
  [
    'is refused with a reason',
    refused({ refused: 'No such server.' }),
    { is: 'refused', reason: 'No such server.' },
  ],
  ['is refused without a reason', refused({}), { is: 'refused' }],
])('a runtime update %s', async (_what, said, result) => {
  answer = said;
  expect(await proxy.apply(update, signal)).toStrictEqual(result);
  expect(asked).toEqual([`apply ${JSON.stringify(update)}`]);
});

test.each<[string, Answer, object]>([
  ['succeeds', { ok: true, generation: 3, tookMs: 5 }, { is: 'done', outcome: { generation: 3, tookMs: 5 } }],
  [
    'refused by the validation is a verdict on the text',
    { ok: false, stage: 'check', message: 'bad', detail: 'line 3' },
    { is: 'refused', rejection: { kind: 'rejected', by: 'check', message: 'bad', detail: 'line 3' } },
  ],
  [
    'refused by the start is a verdict on the start',
    { ok: false, stage: 'prove', message: 'no answer' },
    { is: 'refused', rejection: { kind: 'rejected', by: 'reload', message: 'no answer', detail: '' } },
  ],
  [
    'that the supervisor could not check is no verdict',
    { ok: false, stage: 'unchecked', message: 'Cannot check it' },
    { is: 'unchecked', message: 'No verdict from the supervisor: Cannot check it' },
  ],
  [
    'that a stopping supervisor refuses is no verdict',
    { ok: false, stage: 'stop', message: 'it stops' },
    { is: 'silent', message: expect.stringContaining('it stops, expected an answer') },
  ],
  [
    'that an unknown protocol version refuses is no verdict',
    { ok: false, stage: 'protocol', message: 'unknown' },
    { is: 'silent', message: expect.stringContaining('unknown') },
  ],
])('a reload %s', async (_what, said, result) => {
  answer = said;
  expect(await proxy.reload(signal)).toStrictEqual(result);
});

test.each<[string, Answer, string | undefined]>([
  ['the reported revision', { ok: true, current: { revision: 'r', configSha256: 'h' } }, 'r'],
  ['unknown after a refused change', { ok: true, current: { revision: null, configSha256: 'h' } }, undefined],
  ['the hash of the file', { ok: true, current: { configSha256: 'h' } }, 'h'],
  ['unknown without a generation', { ok: true, current: null }, undefined],
])('the running revision is %s', async (_what, said, running) => {
  answer = said;
  expect(await proxy.running(signal)).toBe(running);
});

test('keepAsGood sends an update without changes, marked as good', async () => {
  answer = { ok: true };
  await proxy.keepAsGood('r', signal);
  expect(asked).toEqual(['apply {"from":"r","to":"r","good":true,"changes":[]}']);
});

test('without a supervisor every result is silent and the running revision is unknown', async () => {
  await close();
  expect([await proxy.apply(update, signal), await proxy.reload(signal)]).toMatchObject([
    { is: 'silent' },
    { is: 'silent' },
  ]);
  expect(await proxy.running(signal)).toBeUndefined();
});
