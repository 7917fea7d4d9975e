import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { filesFolder, namesOnDiskIn } from '../../engine/config/layout.ts';
import { findLiveFile, readIfThere } from '../../engine/config/live-file.ts';
import type { SetFile } from '../../engine/config/set.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';
import { defaultCertificate, isWithoutPair } from '../render/default-certificate.ts';
import { DEFAULT_CERTIFICATE_FILE } from '../render/file-names.ts';
import { givenFiles, readGivenFile } from '../render/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/router-settings.ts';

/** The paths of the administrator's files and default certificate, for the file watcher. */
export function watchedPaths(settings: LiveSettings): readonly string[] {
  const { defaultCertificatePath: path, defaultCertificateDir: folder } = settings;
  const pair = folder === undefined ? [] : [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const file = folder !== undefined || path === undefined ? [] : [path];
  return [...pair, ...file, ...givenFiles(settings).map((each) => each.path)];
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

const isGiven = ({
  defaultCertificate: text,
  defaultCertificateDir: folder,
  defaultCertificatePath: path,
}: LiveSettings): boolean =>
  text !== undefined || path !== undefined || (folder !== undefined && !isWithoutPair(folder));

/** The default certificate in `pem`, which was validated; null before the first one. */
export function describeDefaultCertificate(settings: LiveSettings, pem: string | undefined) {
  if (pem === undefined) return null;
  return { isGiven: isGiven(settings), validTo: new Date(new X509Certificate(pem).validTo).toISOString() };
}

/** Throws a ConfigError if the given certificate is unusable: nothing was served with it yet, and no retry helps. */
export async function checkGivenCertificate(settings: LiveSettings): Promise<void> {
  if (isGiven(settings)) await defaultCertificate(settings, '', new Date());
}

/**
 * The current certificate for hosts without their own. A self-signed one is made once, and one that an earlier process made and serves is kept.
 * A certificate that becomes invalid is reported, and the last good one stays. Throws a ConfigError without a last good one.
 */
export function openDefaultCertificate(settings: LiveSettings, log: Log): () => Promise<string> {
  return keepLastGood(
    async (good) =>
      good !== undefined && !isGiven(settings)
        ? good
        : await defaultCertificate(
            settings,
            await servedFile(settings.config, DEFAULT_CERTIFICATE_FILE),
            new Date(),
          ),
    { usable: 'default-certificate-usable', unusable: 'default-certificate-unusable' },
    log,
  );
}

/** The path of a file that the live main file names. An earlier process may have written it. */
async function servedFile(config: string, name: string): Promise<string> {
  const file = await findLiveFile(config);
  const text = (await readIfThere(file.path))?.toString('latin1') ?? '';
  return join(filesFolder(file.path), namesOnDiskIn(text).get(name) ?? name);
}
