import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { judgePeerPorts } from '../../../../src/api-lb/doctor/checks.ts';
import { examine, said } from '../../../helpers/doctor/scene.ts';

const dropped = { problem: 'no answer in 1200 ms' };

test.each<[claim: string, reached: Partial<Parameters<typeof judgePeerPorts>[0]>, words: RegExp]>([
  ['accepts both ports', {}, /^ok: /],
  [
    'drops the port of the load balancer',
    { balancer: dropped },
    /^fail: port 9445 of cp-2 \(192\.0\.2\.12\) cannot be reached: no answer in 1200 ms; .*its firewall sees 9445/,
  ],
  ['drops the health port', { health: dropped }, /^fail: the health port/],
  ['has no HAProxy', { balancer: 'refused' }, /^warn: /],
  ['accepts an extra port', { extra: [[19_345, 'open']] }, /^ok: /],
  ['drops an extra port', { extra: [[19_345, dropped]] }, /^fail: port 19345 of/],
  ['does not listen on an extra port', { extra: [[19_345, 'refused']] }, /^warn: .*does not listen on 19345/],
])('peer-ports: a peer that %s', (_, reached, words) => {
  const peer = { name: 'cp-2', address: '192.0.2.12' };
  const finding = judgePeerPorts({ peer, lbPort: 9445, balancer: 'open', health: 'open', ...reached });
  expect(said(finding)).toMatch(words);
});

test('peer-ports: listeners are open, and closed ports are refused', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const at = async (lbPort: number) =>
    (await examine('peer-ports', {}, { servers: 'cp-2=127.0.0.2', lbPort, healthPort: port })).kind;
  expect([await at(port), await at(1)]).toEqual(['ok', 'warn']);
});
