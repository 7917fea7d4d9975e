import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { AHEAD } from './vrrp/bed-process.ts';

/** As twenty busy loops on its processor leave it: a twentieth of that, in longer turns. */
const STOPPED_S = '0.7';
const RUNS_S = '0.035';
const TURNS = `while kill -STOP "$1"; do sleep ${STOPPED_S}; kill -CONT "$1"; sleep ${RUNS_S}; done`;

/**
 * Starves a process until it is disposed of: it runs for 35 ms, and then not for 700 ms. Busy loops next to it would leave it without a
 * turn for as long as chance has it on a machine that is busy already, where a live process looks like a hung one.
 * So its turns come by the clock, and it and what gives them go before others.
 */
export function starve(pid: number): Disposable {
  setPriority(pid, -19);
  const argv = ['--pdeathsig', 'KILL', ...AHEAD, 'sh', '-c', TURNS, 'sh', String(pid)];
  const turns = spawn('setpriv', argv, { stdio: 'ignore' });
  return { [Symbol.dispose]: () => void turns.kill('SIGKILL') };
}
