import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const CLIENTS = 50;

/** Connections that each ask once, stay idle, and ask again for each line of input. Prints the number of answers per round. */
const clients = (live: LiveRouter): string => `
  const { connect } = require('node:net');
  const sockets = Array.from({ length: ${CLIENTS} }, () => connect(${live.httpPort}, '${live.host}').setEncoding('utf8'));
  const request = 'GET / HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n';
  const once = (socket) => new Promise((resolve) => {
    const end = () => resolve(0);
    socket.once('error', end).once('close', end).once('data', (text) => resolve(/^HTTP.1.1 200 /.test(text) ? 1 : 0));
    socket.write(request);
  });
  const round = async () => console.log((await Promise.all(sockets.map(once))).reduce((sum, each) => sum + each, 0));
  process.stdin.on('data', round);`;

test('idle keepalive connections survive reloads for other routes and answer the next request', async () => {
  await using live = await startLiveRouter({ objects: [plainRoute('web', 'web.test'), slice('web', [0])] });
  await live.says('configuration-reloaded');
  const [program, ...prefix] = live.cluster.namespace.prefix;
  const child = spawn(program, [...prefix, process.execPath, '-e', clients(live)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const ask = async (): Promise<number> => {
    const answered = new Promise<string>((resolve) => lines.once('line', resolve));
    child.stdin.write('again\n');
    return Number(await answered);
  };
  expect(await ask()).toBe(CLIENTS);
  const before = await live.generation();
  live.set([
    ...[plainRoute('web', 'web.test'), slice('web', [0])],
    ...[plainRoute('other', 'other.test'), slice('other', [1])],
  ]);
  await waitFor('the reload', async () => (await live.generation()) > before);
  await waitFor('the first to drain', async () => (await live.supervisor.status()).draining.length > 0);
  expect(await ask()).toBe(CLIENTS);
});
