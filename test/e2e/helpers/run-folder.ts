import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import {
  isAlive,
  type ProcessId,
  processEpoch,
  readProcess,
} from '../../../src/engine/system/process/processes.ts';
import { cleanUpAfterDeath } from '../../helpers/survivor.ts';

/** The folder for the tests' engines and nodes, on disk because images are large. */
export const RUN_FOLDERS = '/var/tmp';

const PREFIX = 'hawser-e2e-';
const OWNER = 'owner.json';
const ownerSchema = z.object({ pid: z.number(), startTicks: z.number(), epoch: z.string() });

/** A folder with what belongs to one test process: containers, and namespaces named after its pid. */
export interface RunFolder {
  readonly path: string;
  readonly owner: ProcessId;
}

const removeOrphansScript = fileURLToPath(new URL('remove-orphans-now.ts', import.meta.url));

/** A new folder, marked with its owner. Removed with the stack, or, with everything started in it, if this process dies. */
export function makeRunFolder(kind: string, stack: DisposableStack | AsyncDisposableStack): string {
  const path = mkdtempSync(join(RUN_FOLDERS, `${PREFIX}${kind}-`));
  const self = readProcess(process.pid);
  if (self === undefined) throw new Error('Cannot mark a folder as this process: it is not in /proc');
  markOwner(path, self.id);
  const survivor = cleanUpAfterDeath('exec "$1" "$2"', process.execPath, removeOrphansScript);
  stack.defer(() => {
    survivor.dismiss();
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

export function markOwner(path: string, owner: ProcessId): void {
  writeFileSync(join(path, OWNER), JSON.stringify({ ...owner, epoch: processEpoch() }));
}

/** Folders below `parent` whose process has ended. Leaves out those without a mark, or with a mark from another pid namespace. */
export function orphanedFolders(parent: string): readonly RunFolder[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX))
    .flatMap((name) => {
      const path = join(parent, name);
      const owner = readOwner(path);
      return owner === undefined || isRunning(owner) ? [] : [{ path, owner }];
    });
}

type Owner = z.infer<typeof ownerSchema>;

function readOwner(path: string): Owner | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(join(path, OWNER), 'utf8')));
  } catch {
    return undefined;
  }
}

function isRunning(owner: Owner): boolean {
  const [here, there] = [processEpoch(), owner.epoch].map((epoch) => epoch.split('/'));
  // Nothing survives a reboot.
  if (here?.[0] !== there?.[0]) return false;
  return here?.[1] !== there?.[1] || isAlive(owner);
}
