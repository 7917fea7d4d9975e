import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { type PeerCredentials, readCredentials } from './credentials.ts';
import { namesIn } from './identity.ts';
import type { PeerFiles } from './peer.ts';

/** Certificates live for months, and three small files are read in a millisecond. */
const LOOK_EVERY_MS = 5_000;

/**
 * Reads the files repeatedly until `signal` aborts, and passes on a valid set whenever it has changed. An invalid set
 * is logged once, and the previous set stays in use. The first look logs at once; later an invalid set must be seen
 * twice in a row, since two files are never renewed in one step. Never rejects.
 */
export async function keepCredentials(
  files: PeerFiles,
  { log, use }: { readonly log: Log; readonly use: (credentials: PeerCredentials) => void },
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<void> {
  let inUse: PeerCredentials | undefined;
  let told: string | undefined;
  let before: string | undefined;
  for (let looks = 0; !signal.aborted; looks += 1) {
    const look = await readCredentials(files, new Date());
    const trouble = look.kind === 'good' ? undefined : look.message;
    if (look.kind === 'good' && !isSame(inUse, look.credentials)) {
      inUse = look.credentials;
      log({ event: 'peer-certificate-loaded', of: namesIn(inUse.leaf), validTo: validTo(inUse) });
      use(inUse);
    } else if (look.kind === 'good' && told !== undefined) log({ event: 'peer-certificate-usable' });
    if (trouble === undefined) told = undefined;
    else if (trouble !== told && (looks === 0 || trouble === before)) {
      told = trouble;
      const stays = inUse && { inUse: namesIn(inUse.leaf), validTo: validTo(inUse) };
      log({ event: 'peer-certificate-unusable', level: 'error', message: trouble, ...stays });
    }
    before = trouble;
    await sleep(lookEveryMs, signal);
  }
}

function isSame(a: PeerCredentials | undefined, b: PeerCredentials): boolean {
  return a?.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

function validTo({ leaf }: PeerCredentials): string {
  return leaf.validToDate.toISOString();
}
