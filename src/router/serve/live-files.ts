import type { SetFile } from '../../engine/config/set.ts';
import type { Log } from '../../engine/system/log.ts';
import { givenFiles, readGivenFile } from '../render/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/router-settings.ts';
import { keepLastGood } from './last-good.ts';

/** The paths of the administrator's files, for the file watcher. */
export function givenFilePaths(settings: LiveSettings): readonly string[] {
  return givenFiles(settings).map(({ path }) => path);
}

/**
 * The administrator's current files. A file that becomes invalid is reported, and the last good one stays. Throws a ConfigError without a last
 * good one.
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
