import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { type AgreementText, parseAgreement } from './settings-agreement-file.ts';
import type { Agreement } from './vrrp-agreement.ts';

/** Far above any real file: three lines and their comments. */
const MAX_AGREEMENT_BYTES = 64 * 1024;

type AgreementFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'agreement'; readonly path: string; readonly agreement: Agreement }
  | { readonly kind: 'unusable'; readonly path: string; readonly message: string };

/**
 * Reads the first of these files that exists. A broken one does not fall back to the next: the same push may have meant
 * to overrule that one. Never rejects.
 */
export async function readAgreementFile(paths: readonly string[]): Promise<AgreementFile> {
  for (const path of paths) {
    const found = await readOne(path);
    if (found.kind !== 'none') return found;
  }
  return { kind: 'none' };
}

async function readOne(path: string): Promise<AgreementFile> {
  try {
    const { bytes, ctimeMs } = await readRegularFile(path, { MAX_AGREEMENT_BYTES });
    return outcomeOf(path, parseAgreement(bytes.toString('utf8')), ctimeMs);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'none' };
    return unusable(path, `${messageOf(error)}, expected a few lines that this monitor can read`);
  }
}

/** Uses the inode's change time, not the modification time: copying a file may preserve the latter. */
function outcomeOf(path: string, text: AgreementText, arrivedMs: number): AgreementFile {
  if (text.kind === 'unusable') return unusable(path, text.problem);
  return { kind: 'agreement', path, agreement: { ...text.agreement, arrivedMs } };
}

function unusable(path: string, problem: string): AgreementFile {
  return { kind: 'unusable', path, message: `Cannot use "${path}": ${problem}` };
}
