import type { SetFile } from '../../engine/apply/file-set.ts';
import type { Log } from '../../engine/system/log.ts';
import { givenFiles, readGivenFile } from '../configuration/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/setting-name.ts';
import { keepLastGood } from './last-good.ts';

/** Where the administrator's files are read from, for those who watch files. */
export function givenFilePaths(settings: LiveSettings): readonly string[] {
  return givenFiles(settings).map(({ path }) => path);
}

/**
 * The administrator's files, as they are now. One that cannot be used any more is told, and the last good one stays. Throws a ConfigError
 * where there never was one.
 */
export function openGivenFiles(settings: LiveSettings, log: Log): () => Promise<readonly SetFile[]> {
  const readers = givenFiles(settings).map((file) =>
    keepLastGood<SetFile>(
      (before) => readGivenFile(file, before),
      { usable: 'file-usable', unusable: 'file-unusable', facts: { setting: settingName(file.setting) } },
      log,
    ),
  );
  return async () => await Promise.all(readers.map((read) => read()));
}
