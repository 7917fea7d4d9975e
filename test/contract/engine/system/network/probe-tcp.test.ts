import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { probeTcp } from '../../../../../src/engine/system/network/probe-tcp.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

const host = '127.0.0.1';

test('a server that closes after its client has closed counts as answering, after one connection', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.resume();
  }).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await probeTcp({ host, port }, 'connect')).toBe('answers');
  // A process that is starved during an attempt probes once more.
  const counted = async () => {
    const before = connections;
    expect(await probeTcp({ host, port }, 'answer')).toBe('answers');
    return connections - before;
  };
  expect(await waitFor('a probe with one connection', async () => (await counted()) === 1)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await probeTcp({ host, port }, 'answer'), 'a refused connection').toBe('refused');
});

test('for a stopped process the kernel answers, but the process does not', async () => {
  const program = `require('net').createServer((s) => s.resume()).listen(0, '${host}', function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const port = Number(String((await once(child.stdout, 'data'))[0]));
  child.kill('SIGSTOP');
  expect(await probeTcp({ host, port }, 'connect')).toBe('answers');
  expect(await probeTcp({ host, port }, 'answer')).toBe('hung');
});

test('an unreachable address does not answer', async () => {
  expect(await probeTcp({ host: '255.255.255.255', port: 9 }, 'connect')).toBe('silent');
  expect(await probeTcp({ host: '255.255.255.255', port: 9 }, 'answer')).toBe('silent');
});
