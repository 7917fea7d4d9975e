import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { AHEAD } from './vrrp/bed-process.ts';

/** As twenty busy loops would leave it on its CPU: a twentieth of the time, in longer turns. */
const STOPPED_S = '0.7';
const RUNS_S = '0.035';
const TURNS = `while kill -STOP "$1"; do sleep ${STOPPED_S}; kill -CONT "$1"; sleep ${RUNS_S}; done`;

/**
 * Starves a process until disposed of: it runs for 35 ms, and then not for 700 ms. With busy loops on an already busy
 * machine, chance would decide how long it waits for a turn, and a live process could look hung. So its turns follow
 * the clock, and both it and the process that grants them run before others.
 */
export function starve(pid: number): Disposable {
  setPriority(pid, -19);
  const argv = ['--pdeathsig', 'KILL', ...AHEAD, 'sh', '-c', TURNS, 'sh', String(pid)];
  const turns = spawn('setpriv', argv, { stdio: 'ignore' });
  return { [Symbol.dispose]: () => void turns.kill('SIGKILL') };
}
