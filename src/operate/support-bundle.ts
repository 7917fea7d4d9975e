import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Pod } from '../cli/pod.ts';
import { readSupervisor, type SupervisorQuestion } from '../engine/examine/ask-program.ts';
import { hostFiles } from '../engine/examine/host-files.ts';
import { listProcesses } from '../engine/examine/host-processes.ts';
import { messageOf } from '../engine/system/errors.ts';
import { MAX_OUTPUT, runCommand } from '../engine/system/process/run-command.ts';
import { withoutSecrets } from '../engine/system/text/without-secrets.ts';
import { layout, podLayout } from './install/layout.ts';
import { parseRecord } from './install/record.ts';

const COMMAND_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 5_000;

function configurations(pods: readonly Pod[]): readonly string[] {
  const own = pods.map(podLayout);
  return [layout.settings, ...own.flatMap((pod) => [pod.configuration, pod.manifest, pod.template])];
}

/** The bundle's file for a supervisor's status, and the arguments of the command that prints it. */
async function supervisorStatus(
  { name, program, supervisor }: Pod,
  node: Pick<SupervisorQuestion, 'files' | 'processes'>,
): Promise<readonly [string, readonly string[]]> {
  const { socket, status } = supervisor;
  const limits = { signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS), answerTimeoutMs: ANSWER_TIMEOUT_MS };
  const reading = await readSupervisor({ program, socket, ...node, ...limits });
  // The pod's /var/run is not visible in this process's file system, so the socket is passed.
  const reached = reading.kind === 'answered' ? ['--socket', reading.socket] : [];
  return [`${name}-status.json`, [...status, ...reached]];
}

/** Writes a gzipped tar to stdout. `errors.txt` in it lists the sources that could not be read. Resolves with the exit code. */
export async function writeSupportBundle(root: string, pods: readonly Pod[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-support-'));
  try {
    await gather(join(folder, 'hawser-support'), root, pods);
    return await writeTar(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gather(target: string, root: string, all: readonly Pod[]): Promise<void> {
  mkdirSync(target);
  const errors: string[] = [];
  const copy = createBundleCopy();
  const journals = join(root, layout.journalDir);
  const files = hostFiles(root);
  const found = await listProcesses(files);
  const record = parseRecord((await files.value(layout.record)) ?? '');
  const isHere = (pod: Pod): boolean =>
    record?.files.some(({ path }) => path === podLayout(pod).manifest) ?? true;
  // A worker has no pod keepalived.
  const pods = all.filter(isHere);
  const node = { files, processes: async () => found };
  // Exit codes are ignored, because they are verdicts about a node that has problems.
  const reports: Readonly<Record<string, readonly string[]>> = {
    'version.json': ['version', '--json'],
    'status.json': ['status', '--json'],
    'status.txt': ['status'],
    ...Object.fromEntries(await Promise.all(pods.map(async (pod) => await supervisorStatus(pod, node)))),
    'doctor.json': ['doctor', '--json', '--root', root],
    'timeline.txt': ['timeline', '--journal', journals],
  };
  await Promise.all(
    Object.entries(reports).map(async ([file, argv]) => {
      const outcome = await ask(argv);
      if (outcome.stdout !== '') copy.write(outcome.stdout, join(target, file));
      if (outcome.isCut)
        errors.push(`hawser ${argv.join(' ')}: only the first part of its output is included`);
      if (outcome.stderr !== '') errors.push(`hawser ${argv.join(' ')}: ${outcome.stderr.trim()}`);
    }),
  );
  errors.push(
    ...configurations(pods).flatMap((path) =>
      attempt(path, () => copy.file(join(root, path), join(target, 'files', path), 'configuration')),
    ),
    ...attempt(journals, () => copy.folder(journals, join(target, 'journals'))),
    ...attempt('/var/log/pods', () =>
      containerLogs(root, pods).flatMap((path) =>
        attempt(path, () => copy.file(path, join(target, 'logs', path.slice(root.length)), 'log')),
      ),
    ),
  );
  if (errors.length > 0) copy.write(`${errors.join('\n')}\n`, join(target, 'errors.txt'));
}

async function ask(argv: readonly string[]) {
  const [, program = ''] = process.argv;
  const own = [process.execPath, ...process.execArgv, program, ...argv] as [string, ...string[]];
  try {
    const { stdout, stderr, timedOut } = await runCommand(own, { timeoutMs: COMMAND_TIMEOUT_MS });
    return { stdout, stderr, isCut: timedOut || stdout.length >= MAX_OUTPUT };
  } catch (error) {
    return { stdout: '', stderr: messageOf(error), isCut: false };
  }
}

/** The log files of the pods, in the kubelet's layout: `kube-system_haproxy-NODE_UID/CONTAINER/0.log`. */
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

/** What `work` reports as missing, or why it failed. */
function attempt(path: string, work: () => readonly string[]): readonly string[] {
  try {
    return work();
  } catch (error) {
    return [`${path}: ${messageOf(error)}`];
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

/** The limit for one file. A journal file has half a megabyte; the kubelet rotates a container's log at 10 MB. */
const MAX_FILE_BYTES = 8 * 1_024 * 1_024;
/** The limit for all files together. */
const MAX_BYTES = 128 * 1_024 * 1_024;

/**
 * A configuration is copied completely or not at all, because a part could start within a secret. Of other files the end is copied, starting
 * at a line. Links to journals are not followed, because unprivileged users can write to their folder.
 */
type FileKind = 'configuration' | 'log' | 'journal';

/** Copies text and files into a bundle. Always removes secrets, and stays within the limits in bytes. */
export function createBundleCopy(limits = { file: MAX_FILE_BYTES, all: MAX_BYTES }) {
  let left = limits.all;
  /** Writes a text as a file of the bundle. */
  const write = (text: string, to: string): void => {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, withoutSecrets(text));
  };
  /** Copies a file. Returns what is missing of it. */
  const file = (from: string, to: string, kind: FileKind): readonly string[] => {
    const max = Math.min(limits.file, left);
    if (max === 0) return [`${from}: omitted, because the bundle has ${limits.all} bytes of files`];
    const { bytes, size } = readEnd(from, max, kind === 'journal' ? constants.O_NOFOLLOW : 0);
    left -= bytes.length;
    const isCut = size > bytes.length;
    if (isCut && kind === 'configuration') return [`${from}: omitted, because it has ${size} bytes`];
    write(bytes.toString('utf8', isCut ? bytes.indexOf(0x0a) + 1 : 0), to);
    return isCut ? [`${from}: only the last ${bytes.length} of ${size} bytes are included`] : [];
  };
  /**
   * Copies a folder to which unprivileged users can write, without following links. Returns what is missing. Recurses itself, because
   * Node's recursive readdir follows links.
   */
  const folder = (from: string, to: string): readonly string[] =>
    readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
      const path = join(from, entry.name);
      const target = join(to, entry.name);
      return attempt(path, () => {
        if (entry.isDirectory()) return folder(path, target);
        return entry.isFile() ? file(path, target, 'journal') : [];
      });
    });
  return { write, file, folder };
}

/** Reads the last `max` bytes of a regular file. Does not block on a FIFO. */
function readEnd(
  path: string,
  max: number,
  flags: number,
): { readonly bytes: Buffer; readonly size: number } {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('it is not a regular file');
    const buffer = Buffer.alloc(Math.min(found.size, max));
    const read = readSync(file, buffer, 0, buffer.length, found.size - buffer.length);
    return { bytes: buffer.subarray(0, read), size: found.size };
  } finally {
    closeSync(file);
  }
}
