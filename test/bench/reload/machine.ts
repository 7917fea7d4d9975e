import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { HAPROXY } from './subject.ts';

/** The machine the figures were measured on. Absolute times from a busy machine are worth little, so its load is included. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryMb: number;
  readonly kernel: string;
  readonly node: string;
  readonly haproxy: string;
  readonly keepalived: string;
  /** This project's commit, with a `+` if files have changed. */
  readonly commit: string;
  /** UTC time at the start of the bench. */
  readonly measuredAt: string;
  /** One-minute average at the start of the bench. */
  readonly loadAverage: number;
}

export async function describeMachine(): Promise<Machine> {
  const version = await runCommand([HAPROXY, '-v'], { timeoutMs: 5_000 });
  const keepalived = await runCommand(['keepalived', '--version'], { timeoutMs: 5_000 });
  const commit = await runCommand(['git', 'describe', '--always', '--dirty=+', '--exclude=*'], {
    timeoutMs: 5_000,
  });
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1_048_576),
    kernel: release(),
    node: process.version,
    haproxy: /version (\S+)/.exec(version.stdout)?.[1] ?? 'unknown',
    keepalived: /Keepalived v(\S+)/.exec(keepalived.stderr + keepalived.stdout)?.[1] ?? 'unknown',
    commit: commit.stdout.trim() || 'unknown',
    measuredAt: new Date().toISOString(),
    loadAverage: loadavg()[0] ?? 0,
  };
}

export function formatMachine(machine: Machine): string {
  const { cores, processor, memoryMb, kernel, node, haproxy, keepalived, loadAverage } = machine;
  return [
    `${cores} x ${processor}, ${memoryMb} MB, Linux ${kernel}, load average ${loadAverage.toFixed(2)}`,
    `HAProxy ${haproxy}, keepalived ${keepalived}, Node ${node}`,
  ].join('\n');
}
