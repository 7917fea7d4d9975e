import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { judgePeerPorts } from '../../../../src/api-lb/doctor/peer-ports.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const peer = { name: 'cp-2', address: '192.0.2.12' };
const dropped = { problem: 'no answer in 1200 ms' };

test('peer-ports: a firewall that drops the load balancer, one that drops the health page, and a peer without HAProxy', () => {
  expect(judgePeerPorts({ peer, balancer: 'open', health: 'open' }, 9445)).toMatchObject({
    kind: 'ok',
  });
  expect(judgePeerPorts({ peer, balancer: dropped, health: 'open' }, 9445)).toMatchObject({
    kind: 'fail',
    found: 'port 9445 of cp-2 (192.0.2.12) cannot be reached: no answer in 1200 ms',
    todo: expect.stringContaining('its firewall sees 9445'),
  });
  expect(judgePeerPorts({ peer, balancer: 'open', health: dropped }, 9445).kind).toBe('fail');
  expect(judgePeerPorts({ peer, balancer: 'refused', health: 'open' }, 9445).kind).toBe('warn');
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
