import { expect, test } from 'vitest';
import { judgeServing, type ServingReading } from '../../../../src/haproxy/doctor/serving-check.ts';
import { said } from '../../../helpers/doctor/scene.ts';
import { haproxySupervisorSays } from '../../../helpers/status-samples.ts';

const socket = '/run/master.sock';
const statsSocket = '/run/stats.sock';
const portsAre = 'HTTP_PORT';
const answered = (part: object): ServingReading['supervisor'] => ({
  kind: 'answered',
  socket,
  answer: { ...haproxySupervisorSays, ...part } as never,
});
const lastFailure = { stage: 'start', message: 'cannot bind socket [0.0.0.0:80]', agoMs: 1 };
const lastCutShort = { generation: 7, limit: 'memory', agoMs: 60_000 };
const INFO = 'Name: HAProxy';

test.each<[claim: string, supervisor: ServingReading['supervisor'], info: string, words: RegExp]>([
  ['serves and answers', answered({}), INFO, /^ok: /],
  ['has no supervisor', { kind: 'absent' }, INFO, /^fail: .*\/run\/master\.sock/],
  ['has a dead supervisor', { kind: 'unreachable', message: 'ECONNREFUSED' }, INFO, /^fail: .*ECONNREFUSED/],
  ['does not run', answered({ current: null, phase: 'stopped' }), INFO, /^fail: .*stopped/],
  ['serves an older file: its port is taken', answered({ lastFailure }), INFO, /^fail: .*cannot bind/],
  ['has its port taken', answered({ current: null, lastFailure }), INFO, /^fail: .*ss -ltnp.*HTTP_PORT/],
  ['does not answer', answered({}), '', /^fail: .*\/run\/stats\.sock/],
  [
    'had connections cut',
    answered({ lastCutShort }),
    INFO,
    /^warn: .*generation 7 .*--max-draining-memory.*more memory/,
  ],
])('an HAProxy that %s', (_, supervisor, info, words) => {
  expect(said(judgeServing({ supervisor, socket, statsSocket, portsAre, info }))).toMatch(words);
});
