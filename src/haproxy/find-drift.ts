import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSetFileName } from '../engine/apply/file-set.ts';
import { MAX_SET_BYTES } from '../engine/apply/limits.ts';
import { findLiveFile } from '../engine/apply/live-file.ts';
import { folderNamedIn, folderOf, numberOf } from '../engine/apply/set-path.ts';
import { readRegularFile } from '../engine/system/file/read-regular-file.ts';
import { type ComparedPart, comparedParts, readPart } from './compared-parts.ts';
import { readConfiguration } from './read-configuration.ts';
import type { ReadSetFile } from './runtime/change-file.ts';
import { describeConfiguration } from './runtime/describe-configuration.ts';
import type { Description } from './runtime/description.ts';
import type { Changes, Runtime } from './runtime/execute.ts';
import type { Running } from './runtime/running.ts';

/** To look at all servers of a larger configuration again and again would cost too much. */
const MAX_LOOKED_AT_BYTES = 2 * 1024 * 1024;

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

interface Known {
  readonly stamp: string;
  readonly sha256: string;
  readonly set: number | undefined;
  readonly parts: readonly ComparedPart[];
}

/**
 * What of the configuration with this hash does not run: servers, and the files of its set. Undefined if another file is in place, or HAProxy
 * does not answer. The main file is read again only after a change, and each search of a large one takes the next part.
 */
export function createDriftSearch(
  config: string,
  runtime: Pick<Runtime, 'drift' | 'fileDrift'>,
): (serving: Running, configSha256: string) => Promise<Changes | undefined> {
  const readSetFile = readSetFiles(config);
  let known: Known | undefined;
  let next = 0;
  const identify = async (): Promise<Known | undefined> => {
    const stamp = stampOf(config);
    if (known?.stamp === stamp) return known;
    const read = readConfiguration(config);
    if (read.kind === 'unusable') return undefined;
    const folder = folderNamedIn(await findLiveFile(config), read.bytes);
    const set = folder === undefined ? undefined : numberOf(folder);
    known = { stamp, sha256: read.sha256, set, parts: comparedParts(read.bytes) };
    return known;
  };
  const serverDrift = async (
    serving: Running,
    { parts, stamp }: Known,
  ): Promise<Changes['changes'] | undefined> => {
    next = (next + 1) % Math.max(1, parts.length);
    const part = parts[next];
    if (part === undefined) return [];
    const text = readPart(config, part);
    const wanted = text === undefined ? undefined : describeConfiguration(text);
    if (wanted === undefined || stampOf(config) !== stamp) return undefined;
    return await runtime.drift(serving, wanted, part.isWhole ? undefined : backendsIn(wanted));
  };
  return async (serving, configSha256) => {
    const found = await identify();
    if (found?.sha256 !== configSha256) return undefined;
    const { set } = found;
    const servers = await serverDrift(serving, found);
    const files = set === undefined ? [] : await runtime.fileDrift(serving, (name) => readSetFile(set, name));
    if (servers === undefined && files === undefined) return undefined;
    return { changes: [...(servers ?? []), ...(files ?? [])], set };
  };
}

export function isLarge(config: string): boolean {
  return (statsOf(config)?.size ?? 0) > MAX_LOOKED_AT_BYTES;
}

function backendsIn({ sections }: Description): readonly string[] {
  return [...sections.keys()].flatMap((title) => /^(?:backend|listen) (\S+)/.exec(title)?.[1] ?? []);
}

function stampOf(config: string): string {
  const found = statsOf(config);
  return `${found?.dev}:${found?.ino}:${found?.size}:${found?.mtimeMs}`;
}

/** Undefined for anything unreadable, such as a loop of links. */
function statsOf(config: string): Stats | undefined {
  try {
    return statSync(config);
  } catch {
    return undefined;
  }
}
