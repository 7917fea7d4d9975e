import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { filesFolder, namesOnDiskIn } from '../../engine/config/layout.ts';
import { findLiveFile, readIfThere } from '../../engine/config/live-file.ts';
import type { Log } from '../../engine/system/log.ts';
import { defaultCertificate, isWithoutPair } from '../render/default-certificate.ts';
import { DEFAULT_CERTIFICATE_FILE } from '../render/file-names.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { keepLastGood } from './live-files.ts';

/** The files of key and certificate, for the file watcher. */
export function certificatePaths({
  defaultCertificatePath: path,
  defaultCertificateDir: folder,
}: LiveSettings): readonly string[] {
  if (folder !== undefined) return [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  return path === undefined ? [] : [path];
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
