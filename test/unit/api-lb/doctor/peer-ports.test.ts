import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { judgePeerPorts } from '../../../../src/api-lb/doctor/checks.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const peer = { name: 'cp-2', address: '192.0.2.12' };
const dropped = { problem: 'no answer in 1200 ms' };

test('peer-ports: a firewall that drops the load balancer, one that drops the health page, and a peer without HAProxy', () => {
  expect(judgePeerPorts({ peer, lbPort: 9445, balancer: 'open', health: 'open' })).toMatchObject({
    kind: 'ok',
  });
  expect(judgePeerPorts({ peer, lbPort: 9445, balancer: dropped, health: 'open' })).toMatchObject({
    kind: 'fail',
    message: 'port 9445 of cp-2 (192.0.2.12) cannot be reached: no answer in 1200 ms',
    remedy: expect.stringContaining('its firewall sees 9445'),
  });
  expect(judgePeerPorts({ peer, lbPort: 9445, balancer: 'open', health: dropped }).kind).toBe('fail');
  expect(judgePeerPorts({ peer, lbPort: 9445, balancer: 'refused', health: 'open' }).kind).toBe('warn');
});

test('peer-ports: real listeners are connected to, and closed ports are refused', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const servers = 'cp-2=127.0.0.2';
  expect(await examine('peer-ports', {}, { servers, lbPort: port, healthPort: port })).toMatchObject({
    kind: 'ok',
  });
  expect(await examine('peer-ports', {}, { servers, lbPort: 1, healthPort: port })).toMatchObject({
    kind: 'warn',
  });
});

test('peer-ports: without known peers there is nothing to look at', async () => {
  expect(await examine('peer-ports', {})).toMatchObject({ kind: 'skip' });
});

test('a port behind which an extra port is served is checked like the load balancer', () => {
  const look = { peer, lbPort: 9445, balancer: 'open', health: 'open' } as const;
  expect(judgePeerPorts({ ...look, extra: [[19_345, 'open']] }).kind).toBe('ok');
  expect(judgePeerPorts({ ...look, extra: [[19_345, dropped]] })).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('port 19345 of'),
  });
  expect(judgePeerPorts({ ...look, extra: [[19_345, 'refused']] })).toMatchObject({
    kind: 'warn',
    message: expect.stringContaining('does not listen on 19345'),
  });
});
