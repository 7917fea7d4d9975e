import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { codeOf } from '../../../src/engine/system/errors.ts';
import type { Injector } from './injector.ts';

const BLOCK_BYTES = 64 * 1_024;
/** The node's file system is smaller than this, see `world/node-disk.ts`. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** Fills the node's file system to the last byte until the end. */
export const fillDisk: Injector = async ({ node }) => {
  const path = node.at('fill');
  const file = openSync(path, 'w');
  try {
    fill(file, BLOCK_BYTES);
    fill(file, 1);
  } finally {
    closeSync(file);
  }
  return async () => rmSync(path, { force: true });
};

function fill(file: number, bytes: number): void {
  const block = Buffer.alloc(bytes, 'x');
  try {
    for (let written = 0; written < MOST_BYTES; written += bytes) writeSync(file, block);
  } catch (error) {
    if (codeOf(error) === 'ENOSPC') return;
    throw error;
  }
  throw new Error('Cannot fill the disk: it is larger than expected');
}
