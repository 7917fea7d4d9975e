import type { SetFile } from '../../engine/apply/file-set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { CLIENT_CRL_FILE } from '../configuration/file-names.ts';
import {
  authoritiesIn,
  fetchesLists,
  givenFiles,
  MAX_GIVEN_FILE_BYTES,
  readGivenFile,
} from '../configuration/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/setting-name.ts';
import { fetchList } from './fetch-list.ts';
import { type FollowedLists, followLists, type ListWorld } from './follow-lists.ts';
import { keepLastGood } from './last-good.ts';
import { servedFile } from './served-file.ts';

/** Where the administrator's files are read from, for those who watch files. */
export function givenFilePaths(settings: LiveSettings): readonly string[] {
  return givenFiles(settings).map(({ path }) => path);
}

/**
 * The administrator's files, as they are now. One that cannot be used any more is told, and the last good one stays. Throws a ConfigError
 * where there never was one.
 */
export function openGivenFiles(
  settings: LiveSettings,
  log: Log,
  lists: FollowedLists | undefined,
): () => Promise<readonly SetFile[]> {
  const readers = givenFiles(settings).map((file) =>
    keepLastGood<SetFile>(
      (before) => readGivenFile(file, before),
      { usable: 'file-usable', unusable: 'file-unusable', facts: { setting: settingName(file.setting) } },
      log,
    ),
  );
  let authorities = '';
  const readLists =
    lists &&
    keepLastGood<SetFile>(
      () => lists.fileFor(authorities),
      { usable: 'file-usable', unusable: 'file-unusable', facts: { setting: settingName('mutualTlsCa') } },
      log,
    );
  return async () => {
    const files = await Promise.all(readers.map((read) => read()));
    if (readLists === undefined) return files;
    authorities = authoritiesIn(files) ?? '';
    return [...files, await readLists()];
  };
}

/** Keeps fresh the lists of revoked certificates that the settings have fetched. Undefined where they have none. */
export function followGivenLists(
  settings: LiveSettings,
  { log, changed }: Pick<ListWorld, 'log' | 'changed'>,
  signal: AbortSignal,
): FollowedLists | undefined {
  if (!fetchesLists(settings)) return undefined;
  const served = async (): Promise<string> => {
    try {
      const path = await servedFile(settings.config, CLIENT_CRL_FILE);
      return (await readRegularFile(path, { MAX_GIVEN_FILE_BYTES })).bytes.toString('latin1');
    } catch (error) {
      // They are fetched anew.
      if (codeOf(error) !== 'ENOENT')
        log({ event: 'revocations-unusable', level: 'error', message: messageOf(error) });
      return '';
    }
  };
  const world = { served, fetch: fetchList, log, changed, nowMs: monotonicMs, wallMs: Date.now };
  return followLists(world, signal);
}
