import type { SetFile } from '../../engine/config/set.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';
import { givenFiles, readGivenFile } from '../render/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/router-settings.ts';

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

/** The events for an invalid value, once for each message, and for its recovery. */
interface Told {
  readonly usable: string;
  readonly unusable: string;
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Reads a value each time. If a new value is invalid, that is reported and the last good one stays. Throws the error of `read` without a last
 * good one.
 */
export function keepLastGood<T>(
  read: (before: T | undefined) => Promise<T>,
  { usable, unusable, facts = {} }: Told,
  log: Log,
): () => Promise<T> {
  let good: { readonly value: T } | undefined;
  let reported: string | undefined;
  return async () => {
    try {
      good = { value: await read(good?.value) };
      if (reported !== undefined) log({ event: usable, ...facts });
      reported = undefined;
    } catch (error) {
      if (good === undefined) throw error;
      const message = messageOf(error);
      if (reported !== message) log({ event: unusable, level: 'error', message, ...facts });
      reported = message;
    }
    return good.value;
  };
}
