import type { SetFile } from '../../engine/apply/file-set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { CLIENT_CRL_FILE } from '../configuration/file-names.ts';
import {
  authoritiesIn,
  fetchesCrls,
  givenFiles,
  MAX_GIVEN_FILE_BYTES,
  readGivenFile,
} from '../configuration/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/setting-name.ts';
import { fetchCrl } from './fetch-crl.ts';
import { type CrlWorld, type FollowedCrls, followCrls } from './follow-crls.ts';
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
  crls: FollowedCrls | undefined,
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
    crls &&
    keepLastGood<SetFile>(
      () => crls.fileFor(authorities),
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

/** Keeps fresh the CRLs that the settings have fetched. Undefined where they have none. */
export function followClientCrls(
  settings: LiveSettings,
  { log, changed }: Pick<CrlWorld, 'log' | 'changed'>,
  signal: AbortSignal,
): FollowedCrls | undefined {
  if (!fetchesCrls(settings)) return undefined;
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
  const world = { served, fetch: fetchCrl, log, changed, nowMs: monotonicMs, wallMs: Date.now };
  return followCrls(world, signal);
}
