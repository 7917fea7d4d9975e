import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isSetFileName } from '../engine/apply/file-set.ts';
import { MAX_SET_BYTES } from '../engine/apply/limits.ts';
import { findLiveFile } from '../engine/apply/live-file.ts';
import { folderOf } from '../engine/apply/set-path.ts';
import { readRegularFile } from '../engine/system/file/read-regular-file.ts';
import { readConfiguration } from './read-configuration.ts';
import type { ReadSetFile } from './runtime/change-file.ts';
import { describeConfiguration } from './runtime/describe-configuration.ts';
import type { Changes, Runtime } from './runtime/execute.ts';
import type { Running } from './runtime/running.ts';

/** Polling all servers of a larger configuration would cost too much. */
const MOST_COMPARED_BYTES = 2 * 1024 * 1024;

/** Reads the set files of a main file. */
export function readSetFiles(config: string): ReadSetFile {
  return async (set, name) => {
    if (!isSetFileName(name)) return undefined;
    const path = join(folderOf(await findLiveFile(config), set), name);
    return await readRegularFile(path, { MAX_SET_BYTES }).then(
      ({ bytes }) => bytes.toString('utf8'),
      () => undefined,
    );
  };
}

/**
 * The servers of the configuration with this hash that do not run as it says; of one of more than 2 MiB none. Undefined if another file is in
 * place, or HAProxy does not answer. Removed servers are deleted in any case.
 */
export function createDriftSearch(
  config: string,
  { drift }: Pick<Runtime, 'drift'>,
): (serving: Running, configSha256: string) => Promise<Changes | undefined> {
  return async (serving, configSha256) => {
    const read = isLarge(config) ? undefined : readConfiguration(config);
    const isServed = read?.kind === 'present' && read.sha256 === configSha256;
    const wanted = isServed ? describeConfiguration(read.bytes.toString('utf8')) : undefined;
    const changes = await drift(serving, wanted);
    return wanted === undefined || changes === undefined ? undefined : { changes };
  };
}

export function isLarge(config: string): boolean {
  try {
    return statSync(config).size > MOST_COMPARED_BYTES;
  } catch {
    // Unreadable, such as a loop of links.
    return false;
  }
}
