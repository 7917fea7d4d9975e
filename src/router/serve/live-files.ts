import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { filesFolder, namesOnDiskIn } from '../../engine/config/layout.ts';
import { findLiveFile, readIfThere } from '../../engine/config/live-file.ts';
import type { SetFile } from '../../engine/config/set.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';
import { defaultCertificate, lacksKeyPair } from '../render/default-certificate.ts';
import { DEFAULT_CERTIFICATE_FILE } from '../render/file-names.ts';
import { givenFiles, readGivenFile } from '../render/given-files.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingName } from '../settings/router-settings.ts';

/** The paths of the administrator's files and of the default certificate, for the file watcher. */
export function watchedPaths(settings: LiveSettings): readonly string[] {
  const { defaultCertificatePath: path, defaultCertificateDir: folder } = settings;
  const pair = folder === undefined ? [] : [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const file = folder !== undefined || path === undefined ? [] : [path];
  return [...pair, ...file, ...givenFiles(settings).map((each) => each.path)];
}

/**
 * Returns a function that reads the administrator's files. If a file becomes invalid, that is logged and the last valid content stays in use. Throws
 * a ConfigError if there is none.
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

/** Log events for an invalid value, logged once per message, and for its recovery. */
interface ValidityEvents {
  readonly usable: string;
  readonly unusable: string;
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Returns a function that reads a value again at each call. If a new value is invalid, that is logged and the last valid one is returned. Throws the
 * error of `read` if there is none.
 */
export function keepLastGood<T>(
  read: (before: T | undefined) => Promise<T>,
  { usable, unusable, facts = {} }: ValidityEvents,
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
  text !== undefined || path !== undefined || (folder !== undefined && !lacksKeyPair(folder));

/** Describes the validated default certificate in `pem`; null before the first one. */
export function describeDefaultCertificate(settings: LiveSettings, pem: string | undefined) {
  if (pem === undefined) return null;
  return { isGiven: isGiven(settings), validTo: new Date(new X509Certificate(pem).validTo).toISOString() };
}

/** Throws a ConfigError if the configured certificate is invalid: at startup there is none to fall back to, and no retry helps. */
export async function checkGivenCertificate(settings: LiveSettings): Promise<void> {
  if (isGiven(settings)) await defaultCertificate(settings, '', new Date());
}

/**
 * Returns a function that reads the certificate for hosts without their own. A self-signed one is created once, and one that an earlier process
 * created stays in use. If a certificate becomes invalid, that is logged and the last valid one stays. Throws a ConfigError if there is none.
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

/** The path of a file that the served main file refers to. An earlier process may have written it. */
async function servedFile(config: string, name: string): Promise<string> {
  const file = await findLiveFile(config);
  const text = (await readIfThere(file.path))?.toString('latin1') ?? '';
  return join(filesFolder(file.path), namesOnDiskIn(text).get(name) ?? name);
}
