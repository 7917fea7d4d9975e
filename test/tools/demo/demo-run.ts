import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';
import { descendantsOf, type TreeProcess } from '../../helpers/process-tree.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const scripts = fileURLToPath(new URL('../../../scripts', import.meta.url));

/** A demo run the way a user would run it, with a network namespace and a temporary folder of its own. */
export interface DemoRun {
  /** The demo must leave its network as it was. */
  readonly namespace: NetNamespace;
  readonly output: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Records its current descendants and returns all that were ever recorded. */
  readonly remember: () => readonly TreeProcess[];
  /** Leftover processes, network namespaces and files; empty after a clean run. */
  readonly leftovers: () => readonly string[];
  readonly end: () => Promise<void>;
}

/** `demo` is the folder of the demo's program. */
export async function runDemo(demo: string, ...args: readonly string[]): Promise<DemoRun> {
  const namespace = await createNetNamespace();
  const dir = mkdtempSync(join(tmpdir(), 'hawser-test-demo-'));
  const [file, ...before] = namespace.prefix;
  const child = spawn(file, [...before, process.execPath, join(scripts, demo, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: dir },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('Cannot start the demo: no process');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      output += String(piece);
    });
  const seen = new Map<number, TreeProcess>();
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    namespace,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    exited,
    remember: () => {
      for (const each of descendantsOf(pid)) seen.set(each.id.pid, each);
      return [...seen.values()];
    },
    leftovers: () => [
      ...[...seen.values()].filter(isThere).map(({ id, argv }) => `process ${id.pid} ${argv.join(' ')}`),
      ...namespacesOf(pid).map((name) => `namespace ${name}`),
      ...readdirSync(dir).map((name) => `file ${name}`),
    ],
    end: async () => {
      child.kill('SIGKILL');
      await namespace.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Cleanup may outlive the demo briefly, because a shell does the last of it. */
export async function expectNothingLeft(run: DemoRun): Promise<void> {
  await waitFor('nothing to be left', () => run.leftovers().length === 0).catch((error) => {
    throw new Error(`Cannot find nothing: ${run.leftovers().join(', ')} is left`, { cause: error });
  });
}

function isThere({ id }: TreeProcess): boolean {
  const found = readProcess(id.pid);
  return found?.id.startTicks === id.startTicks && found.state !== 'Z';
}

/** Namespaces are named after the pid of their creator. */
function namespacesOf(pid: number): readonly string[] {
  const names = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  return names.filter((name) => name.startsWith(`hawser-${pid}-`));
}
