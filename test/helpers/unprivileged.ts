import { chmodSync, constants, copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const bundle = fileURLToPath(new URL('../../dist', import.meta.url));

/**
 * The built program as the user nobody, up to its subcommand. Runs from a copy that every user can read, including
 * Node: the checkout may be below a folder that only root can enter.
 */
export function hawserAsNobody(): readonly [string, ...string[]] {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-nobody-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o755);
  copyFileSync(process.execPath, join(dir, 'node'), constants.COPYFILE_FICLONE);
  cpSync(bundle, join(dir, 'dist'), { recursive: true });
  const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] as const;
  return [...nobody, join(dir, 'node'), join(dir, 'dist/hawser.mjs')];
}
