import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { Load } from '../../helpers/load/start-load.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { SupervisorProcess } from '../../helpers/supervisor-process.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

const streamCount = 8;

interface Streaming {
  readonly supervisor: SupervisorProcess;
  readonly load: Load;
}

/** A supervisor whose first generation carries streams that never end by themselves. */
async function streaming(host: SupervisedHost, drainTimeout: string): Promise<Streaming> {
  await host.serve(ports.backend);
  host.install('v1');
  const supervisor = host.supervise(['--drain-timeout', drainTimeout]);
  await supervisor.waitForServing();
  const load = await host.load({ port: ports.stream, streams: streamCount });
  await waitFor('the streams to be counted', async () => {
    const { current } = await supervisor.status();
    return current?.sessions === streamCount;
  });
  return { supervisor, load };
}

function expectNothingLeft(host: SupervisedHost): void {
  expect(host.haproxys()).toEqual([]);
  expect(existsSync(host.paths.socket)).toBe(false);
}

const cutTimes = (load: Load) => load.events().flatMap((it) => (it.kind === 'cut' ? [it.atMs] : []));

test('SIGTERM stops accepting, and ends the streams one by one before the drain timeout', async () => {
  await using host = await createSupervisedHost();
  const { supervisor, load } = await streaming(host, '30s');
  const fresh = await host.load({ ratePerSecond: 50, servers: ['v1'] });
  supervisor.kill('SIGTERM');
  await waitFor('new connections to be refused', () =>
    fresh.events().some((it) => it.kind === 'lost' && it.reason === 'refused'),
  );
  expect(await supervisor.status()).toMatchObject({
    phase: 'stopping',
    current: null,
    draining: [{ generation: 1, reason: 'the supervisor is stopping', sent: 'soft-stop' }],
  });
  expect(await supervisor.reload()).toMatchObject({ ok: false, stage: 'stop' });
  expect(cutTimes(load)).toEqual([]);
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
  await times('cut stream', () => cutTimes(load), streamCount);
  // Eight end in steps over three seconds. A busy machine may miss most steps, but without steps all times would be equal.
  const cutAt = cutTimes(load);
  expect(Math.max(...cutAt) - Math.min(...cutAt)).toBeGreaterThan(100);
});

const healthPort = 9_003;
/** As in templates/haproxy.cfg.ejs. */
const health = `frontend health
  bind 127.0.0.1:${healthPort}
  monitor-uri /ready
  monitor fail if { var(proc.hawser_leaving) -m bool }
`;

/** Stops a supervisor the moment it logs its notice, so that the second after it lasts however busy the machine is. */
const standsStill = `import fs from 'node:fs';
  const { writeSync } = fs;
  fs.writeSync = (file, text, ...more) => {
    const written = writeSync(file, text, ...more);
    if (String(text).includes('"notice-given"')) process.kill(process.pid, 'SIGSTOP');
    return written;
  };`;

test('on SIGTERM the health check fails first, and connections are refused only after that', async () => {
  await using host = await createSupervisedHost();
  host.install('v1', { more: health });
  const supervisor = host.supervise(undefined, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(standsStill)}`,
  });
  await supervisor.waitForServing();
  const asks = (port: number, path: string) =>
    host.namespace.run(
      'curl',
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      `http://127.0.0.1:${port}${path}`,
    );
  expect(await asks(healthPort, '/ready')).toBe('200');
  supervisor.kill('SIGTERM');
  await waitFor('notice', () => readProcess(supervisor.pid)?.state === 'T');
  expect(await asks(healthPort, '/ready')).toBe('503');
  expect(await asks(ports.version, '/')).toBe('200');
  supervisor.kill('SIGCONT');
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
});

test('SIGTERM right after a reload, while the master re-executes, also fails the health check first', async () => {
  await using host = await createSupervisedHost();
  host.install('v1', { more: health });
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  host.install('v2', { more: health });
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expect(host.events('notice-given')).toMatchObject([{ generation: 2 }]);
});

test('after SIGTERM the supervisor exits with the end of the last stream', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1');
  const supervisor = host.supervise(['--drain-timeout', '10m']);
  await supervisor.waitForServing();
  const load = await host.load({ port: ports.stream, streams: streamCount });
  await waitFor('a stream', async () => ((await supervisor.status()).current?.sessions ?? 0) > 0);
  supervisor.kill('SIGTERM');
  await waitFor('draining', async () => (await supervisor.status()).phase === 'stopping');
  await load.stop();
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
});

test('a second SIGTERM ends all that is still draining', async () => {
  await using host = await createSupervisedHost();
  const { supervisor } = await streaming(host, '10m');
  supervisor.kill('SIGTERM');
  await waitFor('draining', async () => (await supervisor.status()).phase === 'stopping');
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
});

test('SIGTERM during a start that never proves itself does not wait for the start timeout', async () => {
  await using host = await createSupervisedHost();
  host.install('v1', { statsSocket: `${host.paths.dir}/elsewhere.sock` });
  const supervisor = host.supervise(['--drain-timeout', '1s', '--start-timeout', '10m']);
  await waitFor('a candidate', async () => (await supervisor.status()).reload?.stage === 'proving');
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
});

test('SIGTERM while the supervisor waits for a configuration ends it at once', async () => {
  await using host = await createSupervisedHost();
  const supervisor = host.supervise();
  await waitFor('the supervisor to listen', () => existsSync(host.paths.socket));
  await supervisor.status();
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expectNothingLeft(host);
});

const httpPort = 9_010;
const hopPort = 9_011;

/** As in templates/router.cfg.ejs, without TLS: one frontend for clients, and one behind an internal hop. */
const router = (dir: string): string => `defaults web
  mode http
  option idle-close-on-response
  timeout connect 5s
  timeout client 5m
  timeout server 5m
frontend public from web
  bind 127.0.0.1:${httpPort}
  use_backend endless if { path /stream }
  http-request return status 200 content-type text/plain string web unless { path /stream }
frontend public_ssl
  mode tcp
  bind 127.0.0.1:${hopPort}
  default_backend be_sni
backend be_sni
  mode tcp
  server fe_sni unix@${dir}/sni.sock send-proxy-v2
frontend fe_sni from web
  bind unix@${dir}/sni.sock mode 600 accept-proxy
  use_backend endless if { path /stream }
  http-request return status 200 content-type text/plain string web unless { path /stream }
backend endless from web
  server cp-0 127.0.0.1:${ports.backend}
`;

/** One connection to each port. Prints a line for the first bytes and for the close of each. */
const keepalive = (path: string): string => `
  for (const port of [${httpPort}, ${hopPort}]) {
    const socket = require('node:net').connect(port, '127.0.0.1');
    socket.write('GET ${path} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
    socket.once('data', () => console.log('answered')).once('close', () => console.log('closed')).on('error', () => {});
  }`;

/** Resolves, once both connections have been answered, with a function that returns how many are closed. */
async function connectBoth(host: SupervisedHost, path: string): Promise<() => number> {
  const [program, ...prefix] = host.namespace.prefix;
  const child = spawn(program, [...prefix, process.execPath, '-e', keepalive(path)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (piece) => {
    text += piece;
  });
  const count = (line: string): number => text.split('\n').filter((each) => each === line).length;
  await waitFor('both answers', () => count('answered') === 2);
  return () => count('closed');
}

test('a stop neither waits for idle keepalive connections nor counts as forced because of them', async () => {
  await using host = await createSupervisedHost();
  host.install('v1', { more: router(host.paths.dir) });
  const supervisor = host.supervise(['--drain-timeout', '10m', '--fail-forced-stop']);
  await supervisor.waitForServing();
  const closed = await connectBoth(host, '/');
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  await waitFor('both ends', () => closed() === 2);
  expectNothingLeft(host);
});

test('a stop waits for a request in progress until the drain timeout and is then forced', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1', { more: router(host.paths.dir) });
  const supervisor = host.supervise(['--drain-timeout', '15s', '--fail-forced-stop']);
  await supervisor.waitForServing();
  const idle = await connectBoth(host, '/');
  await connectBoth(host, '/stream');
  const before = monotonicMs();
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(1);
  // After nine tenths of the time, the remaining connections are ended one by one.
  expect(monotonicMs() - before).toBeGreaterThanOrEqual(13_500);
  expect(idle()).toBe(2);
});
