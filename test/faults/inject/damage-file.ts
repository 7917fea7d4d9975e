import { chmodSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { waitFor } from '../../helpers/wait-for.ts';
import type { DamageWay } from '../generate/catalogue.ts';
import { type Injector, nothingToUndo } from './injector.ts';

/** Damages one file of the node; the variant is `WAY FILE`. The product has to repair its own files. */
export const damageOutput: Injector = async ({ node, variant }) => {
  const [way, file] = wayOf(variant);
  damage(node.at(file), way);
  return nothingToUndo;
};

/** Damages a file written by an administrator; it is restored at the end. */
export const damageInput: Injector = async ({ node, variant }) => {
  const [way, file] = wayOf(variant);
  const path = node.at(file);
  const [content, { mode }] = [readFileSync(path), statSync(path)];
  damage(path, way);
  return async () => {
    // Retried, because the disk may be full.
    await waitFor(`${file} to be put back`, () => {
      rmSync(path, { force: true });
      writeFileSync(path, content, { mode });
      return true;
    });
  };
};

function wayOf(variant: string): readonly [DamageWay, string] {
  const [way = '', file = ''] = variant.split(' ');
  return [way as DamageWay, file];
}

/** Throws if the file does not exist. */
function damage(path: string, way: DamageWay): void {
  const { size } = statSync(path);
  switch (way) {
    case 'truncate':
      truncateSync(path, Math.floor(size / 2));
      break;
    case 'corrupt':
      corrupt(path);
      break;
    case 'chmod':
      chmodSync(path, 0);
      break;
    case 'delete':
      rmSync(path);
      break;
    case 'replace':
      // Like an editor: a new inode, moved in by rename.
      writeFileSync(`${path}.other`, 'something else\n');
      renameSync(`${path}.other`, path);
  }
}

/** Changes every seventh byte in place and keeps the length. */
function corrupt(path: string): void {
  const bytes = readFileSync(path);
  for (let index = 3; index < bytes.length; index += 7) bytes[index] = (bytes[index] ?? 0) ^ 0x15;
  writeFileSync(path, bytes);
}
