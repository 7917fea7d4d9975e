import { expect, test } from 'vitest';
import { judgeInterval } from '../../../../src/vip/doctor/checks/advert-interval.ts';

const vip = '10.77.0.100';
const own = {
  ...{ name: 'API', interface: 'eth0', virtualRouterId: 77, mode: 'unicast' as const, vips: [vip] },
  ...{ peers: ['10.77.0.12'], advertIntervalMs: 20, downTimerAdverts: 15, takeOverMs: 400 },
};
const heard = (source: string, intervalMs: number) =>
  ({ kind: 'heard', foreign: [], group: [{ vip, source, intervalMs }] }) as const;

test('a holder that sends at another interval fails, and both are named', () => {
  expect(judgeInterval(own, heard('10.77.0.12', 100))).toMatchObject({
    kind: 'fail',
    found: 'API: adverts every 20 ms by keepalived.conf, and 10.77.0.12 sends them every 100 ms',
    todo: expect.stringContaining('advertInterval'),
  });
  expect(judgeInterval(own, heard('10.77.0.12', 20))).toMatchObject({ kind: 'ok' });
});

test('a host that is no peer does not count, and nothing heard shows the own interval', () => {
  const found = "API: adverts every 20 ms; no other node's were heard in 3.2 s";
  expect(judgeInterval(own, heard('10.77.0.66', 100))).toEqual({ kind: 'ok', found });
  expect(judgeInterval(own, { kind: 'failed', message: 'm' })).toMatchObject({ kind: 'unknown' });
});
