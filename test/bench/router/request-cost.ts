import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetNamespace } from '../../helpers/net-namespace.ts';
import type { RunningRouter } from '../../helpers/router/running-router.ts';
import { threadCpuMsOf } from '../cpu-time.ts';

export interface Subject {
  readonly name: string;
  readonly routes: number;
  readonly router: RunningRouter;
}

const clientProgram = join(import.meta.dirname, 'client.ts');

/** HAProxy's CPU time per request in microseconds, with requests to `asked` of its hosts. */
export async function requestCostUs(
  namespace: NetNamespace,
  { routes, router }: Subject,
  asked: number,
  requests: number,
): Promise<number> {
  const args = [router.httpPort, routes, Math.min(asked, routes), requests].map(String);
  const before = threadCpuMsOf(router.pid);
  await namespace.run(process.execPath, clientProgram, ...args);
  return ((threadCpuMsOf(router.pid) - before) * 1_000) / requests;
}

/** Resident memory of a live process, in kB (proc(5)). */
export function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
