import { readdirSync } from 'node:fs';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { Injector } from './injector.ts';
import { targetProcesses } from './target-processes.ts';

/** The process cannot open any more descriptors, until the end. */
export const exhaustDescriptors: Injector = async (injection) => {
  const limits = targetProcesses(injection).map((id) => ({
    id,
    open: readdirSync(`/proc/${id.pid}/fd`).length,
  }));
  const before = await Promise.all(limits.map(({ id }) => noFile(id.pid)));
  await Promise.all(limits.map(({ id, open }) => noFile(id.pid, `${open}:`)));
  return async () => {
    // Fails for a process that has exited.
    await Promise.allSettled(limits.map(({ id }, index) => noFile(id.pid, `${before[index]}:`)));
  };
};

/** Sets the soft limit if one is given, otherwise resolves with the current one. */
async function noFile(pid: number, limit = ''): Promise<string> {
  const how =
    limit === '' ? ['--nofile', '--noheadings', '--raw', '--output', 'SOFT'] : [`--nofile=${limit}`];
  const { exitCode, stdout, stderr } = await runCommand(['prlimit', '--pid', `${pid}`, ...how], {
    timeoutMs: 5_000,
  });
  if (exitCode !== 0) throw new Error(`Cannot limit the descriptors of ${pid}: ${stderr.trim()}`);
  return stdout.trim();
}
