import { expect, test } from 'vitest';
import { judgeServing, type ServingReading } from '../../../../src/haproxy/doctor/serving-check.ts';
import { haproxySupervisorSays } from '../../../helpers/status-samples.ts';

const [socket, statsSocket, portsAre] = ['/run/master.sock', '/run/stats.sock', 'HTTP_PORT'];
const answered = (part: object): ServingReading['supervisor'] => ({
  ...{ kind: 'answered', socket },
  answer: { ...haproxySupervisorSays, ...part } as never,
});
const judge = (supervisor: ServingReading['supervisor'], info: string | undefined = 'Name: HAProxy') =>
  judgeServing({ ...{ supervisor, socket, statsSocket, portsAre }, info });
const refused = {
  stage: 'start',
  message: 'cannot bind socket (Address already in use) [0.0.0.0:80]',
  agoMs: 1,
};

test('a HAProxy that serves and answers is healthy', () => {
  expect(judge(answered({})).kind).toBe('ok');
});

test.each([
  ['no socket', judge({ kind: 'absent' }), '/run/master.sock'],
  ['a dead socket', judge({ kind: 'unreachable', message: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ['an HAProxy that does not run', judge(answered({ current: null, phase: 'stopped' })), 'stopped'],
  ['a port of another program', judge(answered({ lastFailure: refused })), 'cannot bind'],
  ['a silent stats socket', judge(answered({}), ''), '/run/stats.sock'],
])('%s fails, and is named', (_, finding, words) => {
  expect(finding).toMatchObject({ kind: 'fail', message: expect.stringContaining(words) });
});

test('a port in use has its own remedy', () => {
  expect(judge(answered({ current: null, lastFailure: refused }))).toMatchObject({
    remedy: expect.stringMatching(/ss -ltnp.*HTTP_PORT/),
  });
});

test('connections cut by the limit on draining generations are reported, with a remedy', () => {
  const lastCutShort = { generation: 7, limit: 'memory', agoMs: 60_000 };
  expect(judge(answered({ lastCutShort }))).toMatchObject({
    kind: 'warn',
    message: expect.stringMatching(/generation 7 .*--max-draining-memory/),
    remedy: expect.stringContaining('more memory'),
  });
});
