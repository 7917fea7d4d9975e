import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesFolder, nameOnDisk } from '../engine/config/layout.ts';
import { MAX_SET_BYTES } from '../engine/config/limits.ts';
import { findLiveFile } from '../engine/config/live-file.ts';
import { isSetFileName } from '../engine/config/set.ts';
import { readRegularFile } from '../engine/system/file/read-regular-file.ts';
import { readConfiguration } from './read-configuration.ts';
import type { ReadSetFile } from './runtime/change-file.ts';
import { describeConfiguration } from './runtime/describe-configuration.ts';
import type { Changes, Runtime } from './runtime/execute.ts';
import type { Running } from './runtime/line.ts';

/** Polling all servers of a larger configuration would cost too much. */
const MOST_COMPARED_BYTES = 2 * 1024 * 1024;

/** Returns a function that reads a set file of a main file. */
export function readSetFiles(config: string): ReadSetFile {
  return async (name, sha256) => {
    if (!isSetFileName(name)) return undefined;
    const path = join(filesFolder((await findLiveFile(config)).path), nameOnDisk(name, sha256));
    return await readRegularFile(path, { MAX_SET_BYTES }).then(
      ({ bytes }) => bytes.toString('utf8'),
      () => undefined,
    );
  };
}

/** Returns a function with the hash of the file, if it has this revision. The file is read again only after a change. */
export function createFileHash(config: string): (revision: string) => string | undefined {
  let cached: { readonly stamp: string; readonly sha256: string; readonly revision: string } | undefined;
  return (revision) => {
    const stamp = stampOf(config);
    if (cached?.stamp !== stamp) {
      const read = readConfiguration(config);
      if (read.kind === 'unusable') return undefined;
      cached = { stamp, sha256: read.sha256, revision: read.revision };
    }
    return cached.revision === revision ? cached.sha256 : undefined;
  };
}

/**
 * Returns a function that finds the servers that differ from the configuration with this revision; none for a configuration of more than 2 MiB.
 * Undefined if another file is in place, or HAProxy does not answer. Removed servers are deleted in any case.
 */
export function createDriftSearch(
  config: string,
  { drift }: Pick<Runtime, 'drift'>,
): (serving: Running, revision: string) => Promise<Changes | undefined> {
  return async (serving, revision) => {
    const read = isLarge(config) ? undefined : readConfiguration(config);
    const isServed = read?.kind === 'present' && read.revision === revision;
    const desired = isServed ? describeConfiguration(read.bytes.toString('utf8')) : undefined;
    const changes = await drift(serving, desired);
    return desired === undefined || changes === undefined ? undefined : { changes };
  };
}

export function isLarge(config: string): boolean {
  try {
    return statSync(config).size > MOST_COMPARED_BYTES;
  } catch {
    // Unreadable, for example a loop of links.
    return false;
  }
}

function stampOf(config: string): string {
  let stats: Stats | undefined;
  try {
    stats = statSync(config);
  } catch {
    // Reading the file will fail too.
  }
  return `${stats?.dev}:${stats?.ino}:${stats?.size}:${stats?.mtimeMs}`;
}
