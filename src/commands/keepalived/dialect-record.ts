import { readFileSync } from 'node:fs';
import { parseDialectRecord } from '../../config/dialect-record.ts';
import { messageOf } from '../../model/errors.ts';
import type { VrrpDialect } from '../../model/vrrp-agreement.ts';
import { writeFileAtomically } from '../../system/atomic-write.ts';
import type { Observers } from '../monitor/observers.ts';

/**
 * What this node spoke last, for a monitor that is started while the file of the agreement is broken or gone: its flags
 * still say what was before. Undefined where other flags were given then: those of now are a newer word.
 */
export function readDialectRecord(path: string, flags: VrrpDialect): VrrpDialect | undefined {
  try {
    const record = parseDialectRecord(readFileSync(path, 'utf8'));
    return sameDialect(record.flags, flags) ? record.dialect : undefined;
  } catch {
    return undefined;
  }
}

/** A disk that will not have it is told once. */
export async function writeDialectRecord(
  path: string,
  flags: VrrpDialect,
  dialect: VrrpDialect,
  { log, once }: Observers,
): Promise<void> {
  try {
    await writeFileAtomically(path, `${JSON.stringify({ flags, dialect })}\n`, { mode: 0o644 });
    once.clear('dialect-record');
  } catch (error) {
    const message = messageOf(error);
    if (once.isNew('dialect-record', message))
      log({ event: 'profile-not-recorded', level: 'warn', path, message });
  }
}

export function sameDialect(a: VrrpDialect, b: VrrpDialect): boolean {
  return a.profile === b.profile && a.mode === b.mode;
}
