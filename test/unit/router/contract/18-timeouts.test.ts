import { describe, expect, test } from 'vitest';
import { backendWith } from '../objects-of.ts';

const timeout = 'haproxy.router.openshift.io/timeout';
const tunnel = 'haproxy.router.openshift.io/timeout-tunnel';
const passthrough = { tls: { termination: 'passthrough' } };

describe('contract 18: a timeout', () => {
  test.each([
    ['1', 1],
    ['100', 100],
    ['1us', 1],
    ['999us', 1],
    ['1001us', 2],
    ['5000000us', 5_000],
    ['1ms', 1],
    ['5500ms', 5_500],
    ['1s', 1_000],
    ['30s', 30_000],
    ['1m', 60_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['24d', 2_073_600_000],
    ['25d', 2_147_483_647],
    ['2147483647ms', 2_147_483_647],
    ['2147483648ms', 2_147_483_647],
    ['99999999999999999999d', 2_147_483_647],
    ['0', undefined],
    ['0s', undefined],
    ['-1s', undefined],
    ['1.5s', undefined],
    ['1s30ms', undefined],
    ['1 s', undefined],
    [' 1s', undefined],
    ['1S', undefined],
    ['1w', undefined],
    ['', undefined],
    ['5s\n  server evil 10.0.0.9:80', undefined],
  ])('a timeout annotation of %j is %s ms', (text, ms) => {
    expect(backendWith({ [timeout]: text }).timeouts.serverMs).toBe(ms);
  });

  test('and a tunnel timeout are independent', () => {
    expect(backendWith({ [timeout]: '5s', [tunnel]: '1h' }).timeouts).toEqual({
      serverMs: 5_000,
      tunnelMs: 3_600_000,
    });
  });

  test("a passthrough route's timeout applies to tunnels, unless the tunnel annotation is set", () => {
    expect(backendWith({ [timeout]: '5s' }, passthrough).timeouts).toEqual({ tunnelMs: 5_000 });
    expect(backendWith({ [timeout]: '5s', [tunnel]: '1h' }, passthrough).timeouts).toEqual({
      tunnelMs: 3_600_000,
    });
  });

  test('an invalid timeout annotation is reported', () => {
    expect(backendWith({ [timeout]: 'soon' }).remarks).toEqual([
      `${timeout}: ignored, expected a time such as 30s or 500ms`,
    ]);
  });
});
