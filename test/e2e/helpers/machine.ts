import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { endCgroups } from './cgroups.ts';
import { type ContainerEngine, createContainerEngine } from './container-engine.ts';
import { containersIn, podsIn } from './remove-orphans.ts';

/**
 * A node of the bed with a hostname, folders of its own layered over the machine's, and a container engine. A manifest
 * finds every host path that it names, on each of three nodes of one machine.
 */
export interface Machine {
  readonly node: BedNode;
  readonly engine: ContainerEngine;
  /** Goes in front of a program that runs on this node. */
  readonly prefix: readonly [string, ...string[]];
  /** A node's path, as seen from this process. */
  at(path: string): string;
  /** Throws unless it exits with 0. Returns its stdout. */
  run(...argv: readonly string[]): Promise<string>;
  /** Mounts the node's disks over the machine's own folders. They survive a power cut. */
  boot(): Promise<void>;
  /** Removes the mounts and containers that a power cut leaves, after everything on the node was killed. */
  lose(): Promise<void>;
}

export function createMachine(node: BedNode, workDir: string): Machine {
  const { dir, settings } = inject('builder');
  let holder: Holder | undefined;
  const pid = () => {
    if (holder === undefined)
      throw new Error(`Cannot use "${node.name}": it is off, expected it to have been booted`);
    return holder.pid;
  };
  // Changes directory only once inside: a directory of another mount namespace has no name there.
  const prefix = (): [string, ...string[]] =>
    [
      ...['nsenter', `--net=/run/netns/${node.namespace.name}`],
      ...[`--mount=/proc/${pid()}/ns/mnt`, `--uts=/proc/${pid()}/ns/uts`, '--', 'env', '--chdir=/'],
    ] as [string, ...string[]];
  const run = async (...argv: readonly string[]) => {
    const result = await runCommand([...prefix(), ...argv], { timeoutMs: 60_000 });
    if (result.exitCode === 0) return result.stdout;
    throw new Error(
      `Cannot run "${argv.join(' ')}" on ${node.name}: ${result.stderr.trim() || result.exitCode}`,
    );
  };
  const engineDir = join(workDir, node.name, 'engine');
  const imagesOf = { dir };
  let engine: ContainerEngine | undefined;
  let booted = false;
  return {
    node,
    get engine() {
      if (engine === undefined) throw new Error(`Cannot use "${node.name}": it was never booted`);
      return engine;
    },
    get prefix() {
      return prefix();
    },
    at: (path) => `/proc/${pid()}/root${path}`,
    run,
    boot: async () => {
      holder = await holdNamespaces(node.name);
      for (const path of ownFolders) {
        const [upper, work] = ['upper', 'work'].map((kind) => join(workDir, node.name, kind, path));
        for (const each of [upper, work]) mkdirSync(each ?? '', { recursive: true });
        await run(
          'mount',
          '-t',
          'overlay',
          '-o',
          `lowerdir=${path},upperdir=${upper},workdir=${work}`,
          'node',
          path,
        );
      }
      if (!booted) await run('rm', '-rf', ...ofOthers);
      booted = true;
      engine = createContainerEngine({ dir: engineDir, settings, imagesOf, prefix: prefix() });
    },
    lose: async () => {
      await endCgroups({ containers: containersIn(engineDir), pods: podsIn(engineDir) });
      await holder?.end();
      holder = undefined;
      rmSync(engineDir, { recursive: true, force: true });
    },
  };
}

const ownFolders = ['/etc', '/var/lib', '/var/log', '/usr/local/bin'];
/** What packages put on the machine below: nodes start without it. */
const ofOthers = [
  ...['haproxy', 'keepalived', 'hawser', 'kubernetes'].map((name) => `/etc/${name}`),
  ...['/var/lib/kubelet', '/var/log/hawser'],
];

interface Holder {
  readonly pid: number;
  end(): Promise<void>;
}

/** Mounts and hostname, held by a process outside the node's network, so that they survive whatever is killed there. */
async function holdNamespaces(hostname: string): Promise<Holder> {
  const script = 'hostname "$1" && echo held && read -r _';
  const argv = ['--mount', '--uts', '--propagation', 'private', 'sh', '-c', script, 'holder', hostname];
  const child = spawn('unshare', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const { pid } = child;
  if (pid === undefined) throw new Error('Cannot hold namespaces: "unshare" could not be started');
  return {
    pid,
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
