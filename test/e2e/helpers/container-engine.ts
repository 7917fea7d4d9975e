import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, runCommand } from '../../../src/engine/system/process/run-command.ts';

/** podman and buildah with their own images, containers, locks and settings: nothing of the user's is touched. */
export interface ContainerEngine {
  readonly dir: string;
  /** With these variables podman, buildah and scripts/image.sh use this engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs `podman …` and returns its stdout; throws if it fails. */
  podman(...args: readonly string[]): Promise<string>;
  attempt(args: readonly string[], timeoutMs?: number): Promise<CommandResult>;
  /** Stops every container and deletes the engine's files. */
  remove(): Promise<void>;
}

export interface EngineRequest {
  readonly dir: string;
  /** The lines for containers.conf, from `findContainerSettings`. */
  readonly settings: string;
  /** Another engine, whose images this one can use too. */
  readonly imagesOf?: { readonly dir: string };
  /** Goes in front of podman: the namespaces that its containers share. */
  readonly prefix?: readonly string[];
}

const PATIENCE_MS = 120_000;
const settingsScript = fileURLToPath(new URL('../../../scripts/container-settings.sh', import.meta.url));

const hookScript = fileURLToPath(new URL('cgroup-hook.sh', import.meta.url));

/** The containers.conf lines that containers need to start on this machine. */
export function findContainerSettings(): string {
  const found = execFileSync('sh', [settingsScript], { encoding: 'utf8' });
  return found === '' ? '[engine]\n' : found;
}

export function createContainerEngine({
  dir,
  settings,
  imagesOf,
  prefix = [],
}: EngineRequest): ContainerEngine {
  const env = {
    CONTAINERS_CONF: join(dir, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(dir, 'storage.conf'),
    // Keeps the leftovers of an interrupted image build in the engine's folder.
    TMPDIR: join(dir, 'unfinished'),
  };
  mkdirSync(env.TMPDIR, { recursive: true });
  // Written once: several test files open the builder's engine, and podman may be reading them.
  if (!existsSync(env.CONTAINERS_CONF)) {
    writeFileSync(env.CONTAINERS_STORAGE_CONF, storageOf(dir, imagesOf));
    writeFileSync(env.CONTAINERS_CONF, `${settings}${ownSettings(dir)}`);
  }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const attempt = (args: readonly string[], timeoutMs = PATIENCE_MS) => {
    const [file = 'env', ...before] = prefix;
    const words = prefix.length === 0 ? [] : [...before, 'env'];
    return runCommand([file, ...words, ...variables, 'podman', ...args], { timeoutMs });
  };
  const podman = async (...args: readonly string[]) => {
    const result = await attempt(args);
    if (result.exitCode === 0) return result.stdout;
    const outcome = result.timedOut ? `no end after ${PATIENCE_MS} ms` : `exit code ${result.exitCode}`;
    throw new Error(`Cannot run "podman ${args.join(' ')}": ${outcome}, expected 0: ${result.stderr.trim()}`);
  };
  return {
    dir,
    env,
    podman,
    attempt,
    remove: async () => {
      await attempt(['pod', 'rm', '--all', '--force', '--time', '0']);
      await attempt(['rm', '--all', '--force', '--time', '0']);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The settings end in their [engine] section. Locks are files, because locks in shared memory belong to the whole machine. */
function ownSettings(dir: string): string {
  const own = { lock_type: 'file', tmp_dir: join(dir, 'tmp'), hooks_dir: [hooksFolder(dir)] };
  return Object.entries(own)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join('');
}

function hooksFolder(dir: string): string {
  const folder = join(dir, 'hooks');
  mkdirSync(folder, { recursive: true });
  const hook = {
    version: '1.0.0',
    hook: { path: hookScript },
    when: { always: true },
    stages: ['createRuntime'],
  };
  writeFileSync(join(folder, 'cgroup.json'), JSON.stringify(hook));
  return folder;
}

/** With overlay in the kernel, creating a container is free. Without it, the image's files are copied. */
function storageOf(dir: string, imagesOf: { readonly dir: string } | undefined): string {
  const filesystems = execFileSync('cat', ['/proc/filesystems'], { encoding: 'utf8' });
  const driver = filesystems.includes('\toverlay\n') ? 'overlay' : 'vfs';
  const shared =
    imagesOf === undefined
      ? ''
      : `[storage.options]\nadditionalimagestores = ["${join(imagesOf.dir, 'storage')}"]\n`;
  const folders = `graphroot = "${join(dir, 'storage')}"\nrunroot = "${join(dir, 'run')}"`;
  return `[storage]\ndriver = "${driver}"\n${folders}\n${shared}`;
}
