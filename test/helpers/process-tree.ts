import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessId, readProcess } from '../../src/engine/system/process/processes.ts';

export type ProcessKind = 'haproxy-master' | 'haproxy-worker' | 'haproxy-check' | 'node' | 'other';

export interface TreeProcess {
  readonly id: ProcessId;
  readonly parentPid: number;
  readonly argv: readonly string[];
  /** By argv and parent. Only to classify what a test started, never to find a process. */
  readonly kind: ProcessKind;
}

export interface MemoryKb {
  readonly rss: number;
  /** Shared pages are divided among the processes that share them, so that a sum over processes is correct. */
  readonly pss: number;
  readonly anonymous: number;
}

/** Those of `pids` that still run (no zombies), with their kinds. */
export function readProcesses(pids: Iterable<number>): readonly TreeProcess[] {
  const found = [...pids].flatMap((pid) => readOne(pid));
  const haproxys = new Set(
    found.filter((each) => programOf(each.argv) === 'haproxy').map((each) => each.id.pid),
  );
  return found.map((each) => ({ ...each, kind: kindOf(each, haproxys) }));
}

/** Every living process below `root`, without `root`. Orphans are not below it: see `residents()`. */
export function descendantsOf(root: number): readonly TreeProcess[] {
  const parents = new Map(
    readdirSync('/proc')
      .map((entry) => readProcess(Number(entry)))
      .filter((stat) => stat !== undefined)
      .map((stat) => [stat.id.pid, stat.parentPid]),
  );
  return readProcesses([...parents.keys()].filter((pid) => isBelow(pid, root, parents)));
}

export function countKinds(processes: readonly TreeProcess[]): Readonly<Record<ProcessKind, number>> {
  const counts = { 'haproxy-master': 0, 'haproxy-worker': 0, 'haproxy-check': 0, node: 0, other: 0 };
  for (const { kind } of processes) counts[kind] += 1;
  return counts;
}

/** The sum over the processes that still run, from `smaps_rollup`. */
export function memoryOf(processes: readonly { readonly id: ProcessId }[]): MemoryKb {
  let rss = 0;
  let pss = 0;
  let anonymous = 0;
  for (const { id } of processes) {
    const text = readText(`/proc/${id.pid}/smaps_rollup`);
    rss += fieldKb(text, 'Rss');
    pss += fieldKb(text, 'Pss');
    anonymous += fieldKb(text, 'Anonymous');
  }
  return { rss, pss, anonymous };
}

function readOne(pid: number): readonly Omit<TreeProcess, 'kind'>[] {
  const stat = readProcess(pid);
  const argv = readText(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);
  return stat === undefined || argv.length === 0 ? [] : [{ id: stat.id, parentPid: stat.parentPid, argv }];
}

function kindOf(each: Omit<TreeProcess, 'kind'>, haproxys: ReadonlySet<number>): ProcessKind {
  const program = programOf(each.argv);
  if (program !== 'haproxy') return program === 'node' ? 'node' : 'other';
  if (each.argv.includes('-c')) return 'haproxy-check';
  return haproxys.has(each.parentPid) ? 'haproxy-worker' : 'haproxy-master';
}

function programOf(argv: readonly string[]): string {
  return (argv[0] ?? '').split('/').at(-1) ?? '';
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(pid); at !== undefined && at > 0; at = parents.get(at))
    if (at === root) return true;
  return false;
}

function fieldKb(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}

/** Empty if the process is gone, or is a zombie with nothing left to read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
