/**
 * A program in the load balancer's namespace: `connect SECONDS COUNT` opens COUNT new TLS connections at a time, with one
 * request each; `stream SECONDS COUNT` reads COUNT streams; `idle 0 COUNT` holds COUNT streams until the end of its input.
 * Prints one line of JSON once it has started, and one at the end.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { ports } from '../reload/layout.ts';

const [mode = '', seconds = '', count = ''] = process.argv.slice(2);
const target = { host: '127.0.0.1', port: ports.lb };
const say = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
const beganAtMs = monotonicMs();
const endsAtMs = beganAtMs + Number(seconds) * 1_000;
const counts = { done: 0, failed: 0, bytes: 0, open: 0 };

/** The next request starts when this one has ended. */
function ask(): void {
  if (monotonicMs() >= endsAtMs) return;
  let isAnswered = false;
  const socket = connectTls({ ...target, rejectUnauthorized: false, servername: 'kubernetes' });
  socket.write('GET / HTTP/1.1\r\nHost: kubernetes\r\n\r\n');
  socket.on('data', () => {
    isAnswered = true;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (isAnswered) counts.done += 1;
    else counts.failed += 1;
    ask();
  });
}

function read(path: string, begun: () => void): Socket {
  const socket = connect(target, () => socket.write(`GET ${path} HTTP/1.1\r\nHost: kubernetes\r\n\r\n`));
  socket.once('data', begun);
  socket.on('data', (piece) => {
    counts.bytes += piece.length;
  });
  socket.on('error', () => {});
  return socket;
}

/** Opens streams one after another in each of a hundred lanes, because the listen backlog is not to be measured. */
function hold(left: number): void {
  if (left === 0) return;
  const socket = read('/idle', () => {
    counts.open += 1;
    socket.once('close', () => {
      counts.open -= 1;
    });
    if (counts.open === Number(count)) say({ begun: true });
    hold(left - 1);
  });
}

function end(): void {
  say({ ...counts, elapsedMs: monotonicMs() - beganAtMs });
  process.exit(0);
}

process.on('SIGINT', () => {});
process.stdin.on('end', end).resume();
switch (mode) {
  case 'connect':
    for (let each = 0; each < Number(count); each += 1) ask();
    break;
  case 'stream':
    for (let each = 0; each < Number(count); each += 1) read('/bulk', () => {});
    break;
  case 'idle':
    for (let lane = 0; lane < 100; lane += 1) hold(Math.floor((Number(count) + lane) / 100));
    break;
}
if (mode !== 'idle') {
  say({ begun: true });
  setTimeout(end, endsAtMs - monotonicMs());
}
