import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { expect, onTestFinished, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const ECHO_PORT = 9_011;
const ECHO_BACKEND_PORT = 9_012;
/** Longer than any test, so a drain that ends earlier was not waited for. */
const LONG_DRAIN = ['--force-delete-timeout', '10m', '--drain-timeout', '10m', '--start-timeout', '30s'];
/** On a busy machine, ten seconds of CPU time take a minute. */
const DEADLINE_MS = 240_000;

/** Wall-clock time. On a busy machine HAProxy gets a tenth of it, which is still more than two seconds of CPU time. */
const BUSY_MS = 20_000;

const extras = {
  global: '  nbthread 1\n',
  more: `listen echo
  mode tcp
  bind 127.0.0.1:${ECHO_PORT}
  server echo 127.0.0.1:${ECHO_BACKEND_PORT}
`,
};

/** An echo server and one connection to it. Prints the echo of each input line, and a line when the connection closes. */
const echo = `
  const { connect, createServer } = require('node:net');
  createServer((socket) => socket.pipe(socket)).listen(${ECHO_BACKEND_PORT}, '127.0.0.1', () => {
    const socket = connect(${ECHO_PORT}, '127.0.0.1');
    socket.pipe(process.stdout);
    process.stdin.pipe(socket);
    socket.once('close', () => console.log('closed'));
    socket.on('error', () => {});
  });`;

/** An established connection of another client: sends a word and returns the echo. */
function connectEcho(host: SupervisedHost): (word: string) => Promise<string> {
  const [program, ...prefix] = host.namespace.prefix;
  const child = spawn(program, [...prefix, process.execPath, '-e', echo], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  return async (word) => {
    const heard = new Promise<string>((resolve) => lines.once('line', resolve));
    child.stdin.write(`${word}\n`);
    return await heard;
  };
}

async function start() {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  host.install('v1', extras);
  // Linux counts a timer as a pending signal. If HAProxy gets no timer, it starts without its watchdog, which would abort it.
  const supervisor = host.supervise(LONG_DRAIN, {}, ['prlimit', '--sigpending=0']);
  await supervisor.waitForServing();
  return { host, supervisor };
}

test('a worker that is busy for seconds delays its clients but loses no connection', {
  timeout: DEADLINE_MS,
}, async () => {
  const { host, supervisor } = await start();
  const say = connectEcho(host);
  expect(await say('before')).toBe('before');
  const load = await host.load({ ratePerSecond: 10, timeoutMs: DEADLINE_MS, servers: ['v1'] });
  void askRuntimeApi(host.paths.statsSocket, `expert-mode on; debug dev loop ${BUSY_MS}`, DEADLINE_MS);
  await waitFor('the busy worker to be seen', () => host.events('generation-busy')[0], DEADLINE_MS);
  const answers = waitFor('it to answer', () => host.events('generation-answers-again')[0], DEADLINE_MS);
  expect(await say('meanwhile')).toBe('meanwhile');
  await answers;
  await waitFor('it to drain', () => host.events('generation-draining')[0], DEADLINE_MS);
  expect((await load.stop()).lost).toEqual({});
  expect(await say('after')).toBe('after');
  expect(host.events('generation-busy')).toMatchObject([{ generation: 1, level: 'warn' }]);
  expect([...host.events('generation-killed'), ...host.events('generation-died')]).toEqual([]);
  expect((await supervisor.status()).current).toMatchObject({ generation: 2 });
});
