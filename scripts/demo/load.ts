/**
 * A client program that opens a new connection for every request, at a fixed rate regardless of earlier requests, and
 * prints one line of JSON for each (see request-result.ts). Its only argument is a plan (see load-plan.ts). Ends on
 * SIGTERM.
 */
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { codeOf } from '../../src/engine/system/errors.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { loadPlan, type Target } from './load-plan.ts';
import type { RequestResult } from './request-result.ts';

const plan = loadPlan.parse(JSON.parse(process.argv[2] ?? ''));
const ca = readFileSync(plan.caFile);
const TIMEOUT_MS = 8_000;
/** One connection in this many is held open before its request, like `kubectl exec`, so that there is something to drain. */
const HELD_ONE_IN = 10;
const HELD_MS = 2_000;

function ask(target: Target, holdMs: number): void {
  const startedAtMs = monotonicMs();
  const { host, path, name } = target;
  let text = '';
  let certified: string | undefined;
  let reason = 'closed';
  const socket = connectTo(target, (commonName) => {
    certified = commonName;
    setTimeout(
      () => socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      holdMs,
    );
  });
  socket.setTimeout(TIMEOUT_MS, () => {
    reason = 'timeout';
    socket.destroy();
  });
  socket.setEncoding('latin1');
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.on('error', (error) => {
    reason = codeOf(error) ?? error.message;
  });
  socket.on('close', () => {
    const isOk = text.startsWith('HTTP/1.1 200 ');
    // An answer with another status is a failure too, and says more than that the connection was closed.
    const failure = isOk ? {} : { failure: text === '' ? reason : (text.split('\r\n')[0] ?? reason) };
    const server = target.namedBy === 'certificate' ? certified : bodyOf(isOk ? text : '');
    const named = server === undefined ? {} : { server };
    print({ target: name, startedAtMs, endedAtMs: monotonicMs(), heldMs: holdMs, ...named, ...failure });
  });
}

/** `onOpen` gets the common name in the server's certificate, if there is one. */
function connectTo({ address, port, host, tls }: Target, onOpen: (commonName?: string) => void): Socket {
  if (!tls) return connectPlain({ host: address, port }, () => onOpen());
  const servername = host === address ? {} : { servername: host };
  const socket: TLSSocket = connectTls({ host: address, port, ca, ...servername }, () => {
    const name = socket.getPeerCertificate().subject.CN;
    onOpen(Array.isArray(name) ? name[0] : name);
  });
  return socket;
}

function bodyOf(text: string): string | undefined {
  return text.split('\r\n\r\n')[1];
}

function print(result: RequestResult): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

// There is no point in going on without a reader.
process.stdout.on('error', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
// Requests start when they are due, regardless of earlier ones, so that a stalled load balancer faces a queue.
const beganAtMs = monotonicMs();
let asked = 0;
setInterval(() => {
  for (; asked < ((monotonicMs() - beganAtMs) * plan.perSecond) / 1_000; asked += 1) {
    const target = plan.targets[asked % plan.targets.length];
    const turn = Math.floor(asked / plan.targets.length);
    if (target === undefined) return;
    ask(target, target.isHeld && turn % HELD_ONE_IN === HELD_ONE_IN - 1 ? HELD_MS : 0);
  }
}, 10);
