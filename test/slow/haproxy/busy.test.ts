import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createSupervisedHost, shortTimes } from '../../helpers/supervisor-host.ts';

const PORT = 9_443;
/** Longer than the time after which a spinning HAProxy is replaced. */
const FLOOD_MS = 10_000;

/** Keeps 500 handshakes in flight, each on its own short connection. Prints how many completed. */
const flood = `
  const { connect } = require('node:tls');
  const until = performance.now() + ${FLOOD_MS};
  let shaken = 0;
  const next = () => {
    if (performance.now() > until) return;
    const socket = connect({ port: ${PORT}, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      shaken += 1;
      socket.destroy();
      next();
    });
    socket.on('error', () => setImmediate(next));
  };
  for (let each = 0; each < 500; each += 1) next();
  setTimeout(() => process.exit(), ${FLOOD_MS});
  process.on('exit', () => console.log(shaken));`;

test('a HAProxy flooded with expensive TLS handshakes is not considered hung', async () => {
  await using host = await createSupervisedHost();
  const at = (name: string): string => join(host.paths.dir, name);
  // With this key a handshake costs HAProxy 5 ms or more.
  const request = ['req', '-x509', '-newkey', 'rsa:4096', '-nodes', '-days', '1', '-subj', '/CN=flood'];
  execFileSync('openssl', [...request, '-keyout', at('tls.key'), '-out', at('tls.crt')], { stdio: 'pipe' });
  writeFileSync(at('tls.pem'), ['tls.key', 'tls.crt'].map((name) => readFileSync(at(name), 'utf8')).join(''));
  host.install('v1', {
    global: '  nbthread 1\n',
    more: `listen tls\n  bind 127.0.0.1:${PORT} ssl crt ${at('tls.pem')}\n  http-request return status 200\n`,
  });
  const supervisor = host.supervise(shortTimes);
  await supervisor.waitForServing();
  const [file, ...before] = host.namespace.prefix;
  const clients = [1, 2].map(() =>
    spawn(file, [...before, process.execPath, '-e', flood], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  onTestFinished(() => clients.forEach((client) => void client.kill('SIGKILL')));
  const shaken = await Promise.all(clients.map(async ({ stdout }) => Number(await text(stdout))));
  for (const count of shaken) expect(count).toBeGreaterThan(10);
  expect(host.events('generation-hung')).toEqual([]);
  expect((await supervisor.status()).current).toMatchObject({ generation: 1 });
});

test('a HAProxy starved of CPU under load is not considered hung', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise(shortTimes);
  const first = await supervisor.waitForServing();
  for (const pid of [first.pid, ...first.workers]) execFileSync('renice', ['-n', '19', '-p', String(pid)]);
  const hogs = Array.from({ length: 8 * availableParallelism() }, () =>
    spawn(process.execPath, [
      '-e',
      'setTimeout(() => process.exit(), 12_000); const spin = () => { for (let i = 0; i < 1e7; i++); setImmediate(spin); }; spin();',
    ]),
  );
  onTestFinished(() => hogs.forEach((hog) => void hog.kill('SIGKILL')));
  const load = await host.load({ ratePerSecond: 200, timeoutMs: 60_000 });
  await Promise.all(hogs.map((hog) => new Promise((resolve) => hog.once('exit', resolve))));
  await load.stop();
  expect(host.events('generation-hung')).toEqual([]);
  expect((await supervisor.status()).current).toMatchObject({ generation: 1 });
});
