/**
 * A program that for each line on stdin times one `haproxy -c` and one bare start of HAProxy, from `spawn` to the first
 * answer on the generation port, and prints both. Runs inside the namespace, so that the times include no wrapper.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { askOnce } from '../../helpers/load/ask-once.ts';
import { ports } from './layout.ts';
import { HAPROXY } from './subject.ts';

const [config = '', pidFile = ''] = process.argv.slice(2);
/** The same interval as the subjects' prober. */
const PROBE_GAP_MS = 5;
const PATIENCE_MS = 10_000;

async function timeCheck(): Promise<number> {
  const beganAtMs = monotonicMs();
  const [code] = await once(spawn(HAPROXY, ['-c', '-f', config], { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`Cannot check "${config}": exit code ${code}, expected 0`);
  return monotonicMs() - beganAtMs;
}

async function timeStart(): Promise<number> {
  const beganAtMs = monotonicMs();
  const child = spawn(HAPROXY, ['-W', '-db', '-f', config, '-p', pidFile], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  try {
    while (!(await isAnswering())) {
      if (monotonicMs() - beganAtMs > PATIENCE_MS)
        throw new Error(`Cannot start a bare HAProxy: no answer after ${PATIENCE_MS} ms`);
      await delay(PROBE_GAP_MS);
    }
    return monotonicMs() - beganAtMs;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

function isAnswering(): Promise<boolean> {
  return new Promise((resolve) => {
    askOnce({ host: '127.0.0.1', port: ports.generation }, '/', ({ kind }) => resolve(kind === 'answered'));
  });
}

process.on('SIGINT', () => {});
for await (const _ of createInterface({ input: process.stdin })) {
  const checkMs = await timeCheck();
  const startMs = await timeStart();
  process.stdout.write(`${JSON.stringify({ checkMs, startMs })}\n`);
}
