import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { apiServerArgv } from '../../helpers/vrrp/api-server.ts';
import type { ClusterFile } from '../stand-ins/cluster-file.ts';
import { type CommandBlock, commandBlocks } from './document-commands.ts';
import type { Machine } from './machine.ts';
import type { PodWorld } from './pod-world.ts';

/** Shell variables of the documents, such as VIP, and their values here. */
export type Variables = Readonly<Record<string, string>>;

/** Types the commands of documents verbatim on the nodes of a world. */
export interface Walk {
  /** The commands of one block, not typed yet. Throws unless exactly one block has this place. */
  commands(where: string): readonly string[];
  /** Returns the output; throws unless it exits with 0. */
  type(machine: Machine, command: string, variables?: Variables): Promise<string>;
  typeAll(machine: Machine, commands: readonly string[], variables?: Variables): Promise<void>;
  /** Places of blocks whose commands were not run. */
  untouched(): readonly string[];
}

const PATIENCE_MS = 300_000;
/** Variables and shell functions that a document defines for everything after it. */
const DEFINITION = /^\w+(?:=|\(\) \{)/;

export function startWalk(
  world: PodWorld,
  sections: readonly (readonly [path: string, heading?: string])[],
  everywhere: Variables,
): Walk {
  const path = writeStandIns(world);
  const blocks = sections.flatMap((section) => commandBlocks(...section));
  const isDefinition = (block: CommandBlock) => block.commands.every((line) => DEFINITION.test(line));
  const definitions = blocks.filter(isDefinition).flatMap(({ commands }) => commands);
  const untouched = new Set(blocks.filter((block) => !isDefinition(block)));
  const type: Walk['type'] = async (machine, command, variables = {}) => {
    const given = Object.entries({ ...everywhere, ...variables }).map(([name, value]) => `${name}=${value}`);
    const script = [...definitions, ...given, command].join('\n');
    const engine = Object.entries(machine.engine.env).map(([name, value]) => `${name}=${value}`);
    const [file, ...before] = machine.prefix;
    const argv = [...before, 'env', ...engine, `PATH=${path}:${process.env['PATH']}`, 'sh', '-euc', script];
    const { exitCode, stdout, stderr } = await runCommand([file, ...argv], { timeoutMs: PATIENCE_MS });
    if (exitCode === 0) return stdout;
    throw new Error(
      `Cannot type "${command}" on ${machine.node.name}: exit code ${exitCode}: ${stderr.trim()}`,
    );
  };
  return {
    type,
    typeAll: async (machine, commands, variables) => {
      for (const command of commands) await type(machine, command, variables);
    },
    commands: (where) => {
      const [found, ...more] = blocks.filter((block) => block.where === where);
      if (found === undefined || more.length > 0)
        throw new Error(
          `Cannot find the commands "${where}": ${more.length + (found ? 1 : 0)} blocks, expected one`,
        );
      untouched.delete(found);
      return found.commands;
    },
    untouched: () => [...untouched].map(({ where }) => where),
  };
}

const localApiServes = (name: string) => fileURLToPath(new URL(`../stand-ins/${name}`, import.meta.url));

/** A folder for PATH with the stand-in programs. */
function writeStandIns({ bed }: PodWorld): string {
  const cluster: ClusterFile = {
    apiServer: [...apiServerArgv(bed)],
    stateFile: bed.stateFile,
    authorityFile: bed.authorityFile,
    identity: bed.identity,
    nodes: bed.nodes.map(({ name, address, dir }) => ({ name, address, dir })),
  };
  const file = join(bed.dir, 'stand-ins.json');
  writeFileSync(file, JSON.stringify(cluster));
  const dir = join(bed.dir, 'stand-ins');
  mkdirSync(dir);
  const write = (name: string, ...argv: readonly string[]) => {
    writeFileSync(join(dir, name), `#!/bin/sh\nexec ${argv.join(' ')} "$@"\n`);
    chmodSync(join(dir, name), 0o755);
  };
  for (const name of ['kubeadm', 'kubectl'])
    write(name, process.execPath, localApiServes(`${name}.ts`), file);
  for (const name of ['crictl', 'ctr']) write(name, 'sh', localApiServes(`${name}.sh`));
  return dir;
}
