import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { cleanUpAfterDeath } from '../../helpers/survivor.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { keptParts } from './keeper.ts';

const SIZE = '24m';

/**
 * Gives a node a small file system of its own, which can be filled. The programs' output goes elsewhere, like container
 * logs. The file system is unmounted with the stack, or when this process dies.
 */
export async function mountNodeDisk(
  node: BedNode,
  logDir: string,
  owned: AsyncDisposableStack,
): Promise<void> {
  await mountTmpfs(`mode=755,size=${SIZE}`, node.dir, owned);
  const logs = join(logDir, node.name);
  mkdirSync(logs, { recursive: true });
  for (const part of keptParts) {
    writeFileSync(join(logs, `${part}.log`), '');
    symlinkSync(join(logs, `${part}.log`), node.at(`${part}.log`));
  }
}

/** libfaketime leaves files in /dev/shm for each killed program. This process has its own mount namespace. */
export async function mountSharedMemory(owned: AsyncDisposableStack): Promise<void> {
  await mountTmpfs('mode=1777', '/dev/shm', owned);
}

async function mountTmpfs(options: string, path: string, owned: AsyncDisposableStack): Promise<void> {
  await mustRun('mount', '-t', 'tmpfs', '-o', options, 'hawser-faults', path);
  const survivor = cleanUpAfterDeath('umount -l -- "$1"', path);
  owned.defer(async () => {
    survivor.dismiss();
    await mustRun('umount', '-l', path);
  });
}

async function mustRun(...argv: [string, ...string[]]): Promise<void> {
  const { exitCode, stderr } = await runCommand(argv, { timeoutMs: 10_000 });
  if (exitCode !== 0) throw new Error(`Cannot run "${argv.join(' ')}": ${stderr.trim()}`);
}
