import { expect, test } from 'vitest';
import { serverTransitions } from '../../../src/api-lb/server-watch.ts';

const server = (name: string, state: 'up' | 'down', check = 'L7OK/200') => ({
  name,
  state,
  check,
  address: `10.0.0.1${name.at(-1)}:6443`,
});

test("a server's state change is reported with its check's message, and an unchanged state is not", () => {
  const before = [server('cp-1', 'up'), server('cp-2', 'up'), server('cp-3', 'down')];
  const now = [server('cp-1', 'up'), server('cp-2', 'down', 'L7STS/500'), server('cp-3', 'up')];
  expect(serverTransitions(before, now)).toEqual([
    { server: 'cp-2', address: '10.0.0.12:6443', from: 'up', to: 'down', check: 'L7STS/500' },
    { server: 'cp-3', address: '10.0.0.13:6443', from: 'down', to: 'up', check: 'L7OK/200' },
  ]);
});

test('a new server is reported only if it is not up, and a removed one never', () => {
  const now = [server('cp-1', 'up'), server('cp-2', 'down', 'L4CON')];
  expect(serverTransitions([server('cp-9', 'up')], now)).toMatchObject([{ server: 'cp-2', from: undefined }]);
});

test('a new server that is still rising is not reported as down', () => {
  const rising = [server('cp-1', 'down', 'L7OK/200 in 2ms: Layer7 check passed')];
  expect(serverTransitions([], rising)).toEqual([]);
  expect(serverTransitions(rising, [server('cp-1', 'up')])).toMatchObject([{ from: 'down', to: 'up' }]);
});
