import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../cli/pod.ts';
import { hostFiles } from '../engine/examine/host-files.ts';
import { listProcesses } from '../engine/examine/host-processes.ts';
import { lookAtSupervisor, type SupervisorQuestion } from '../engine/examine/supervisor.ts';
import { messageOf } from '../engine/system/errors.ts';
import { runCommand } from '../engine/system/process/run-command.ts';
import { createBundleCopy } from './bundle-copy.ts';
import { layout, podLayout } from './install/layout.ts';

const COMMAND_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 5_000;

/** Their exit codes are verdicts and do not matter here: a bundle is made for a node in trouble. */
const REPORTS = {
  'version.json': ['version', '--json'],
  'status.json': ['status', '--json'],
  'status.txt': ['status'],
} as const;

function configurations(pods: readonly Pod[]): readonly string[] {
  const own = pods.map(podLayout);
  return [layout.settings, ...own.flatMap((pod) => [pod.configuration, pod.manifest, pod.template])];
}

/** The file of a supervisor's own status, and the command that prints it. */
async function supervisorStatus(
  { name, program, supervisor }: Pod,
  node: Pick<SupervisorQuestion, 'files' | 'processes'>,
): Promise<readonly [string, readonly string[]]> {
  const { socket, status } = supervisor;
  const limits = { signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS), answerTimeoutMs: ANSWER_TIMEOUT_MS };
  const look = await lookAtSupervisor({ program, socket, ...node, ...limits });
  // The pod's /var/run is not in this process's file system.
  const reached = look.kind === 'answered' ? ['--socket', look.socket] : [];
  return [`${name}-status.json`, [...status, ...reached]];
}

/** Writes one gzipped tar to stdout. A source that cannot be read is named in `errors.txt`. Resolves with the exit code. */
export async function writeSupportBundle(root: string, pods: readonly Pod[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-support-'));
  try {
    await gather(join(folder, 'hawser-support'), root, pods);
    return await writeTar(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gather(target: string, root: string, pods: readonly Pod[]): Promise<void> {
  mkdirSync(target);
  const errors: string[] = [];
  const copy = createBundleCopy();
  const journals = join(root, layout.journalDir);
  const files = hostFiles(root);
  const found = await listProcesses(files);
  const node = { files, processes: async () => found };
  const reports: Readonly<Record<string, readonly string[]>> = {
    ...REPORTS,
    ...Object.fromEntries(await Promise.all(pods.map(async (pod) => await supervisorStatus(pod, node)))),
    'doctor.json': ['doctor', '--json', '--root', root],
    'timeline.txt': ['timeline', '--journal', journals],
  };
  await Promise.all(
    Object.entries(reports).map(async ([file, argv]) => {
      const outcome = await ask(argv);
      if (outcome.stdout !== '') copy.write(outcome.stdout, join(target, file));
      if (outcome.stderr !== '') errors.push(`hawser ${argv.join(' ')}: ${outcome.stderr.trim()}`);
    }),
  );
  for (const path of configurations(pods))
    attempt(errors, path, () => copy.file(join(root, path), join(target, 'files', path), 'configuration'));
  attempt(errors, journals, () => copy.folder(journals, join(target, 'journals')));
  for (const path of containerLogs(root, pods))
    attempt(errors, path, () => copy.file(path, join(target, 'logs', path.slice(root.length)), 'log'));
  if (errors.length > 0) copy.write(`${errors.join('\n')}\n`, join(target, 'errors.txt'));
}

async function ask(argv: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const [, program = ''] = process.argv;
  const own = [process.execPath, ...process.execArgv, program, ...argv] as [string, ...string[]];
  return await runCommand(own, { timeoutMs: COMMAND_TIMEOUT_MS }).catch((error: unknown) => ({
    stdout: '',
    stderr: messageOf(error),
  }));
}

/** The kubelet's paths: `kube-system_haproxy-NODE_UID/CONTAINER/0.log`. */
function containerLogs(root: string, pods: readonly Pod[]): readonly string[] {
  const folder = join(root, '/var/log/pods');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((folder) => pods.some(({ name }) => folder.startsWith(`kube-system_${name}-`)))
    .flatMap((pod) =>
      readdirSync(join(folder, pod), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, pod, file),
      ),
    )
    .filter((path) => path.endsWith('.log'));
}

function attempt(errors: string[], path: string, work: () => string | readonly string[] | undefined): void {
  try {
    errors.push(...[work() ?? []].flat());
  } catch (error) {
    errors.push(`${path}: ${messageOf(error)}`);
  }
}

async function writeTar(folder: string): Promise<number> {
  const tar = spawn('tar', ['-C', folder, '-czf', '-', 'hawser-support'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return await new Promise((resolve) => {
    tar.once('error', (error) => {
      process.stderr.write(`Cannot run tar: ${error.message}\n`);
      resolve(1);
    });
    tar.once('close', (code) => resolve(code === 0 ? 0 : 1));
  });
}
