import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { VrrpDialect } from './vrrp-agreement.ts';

const dialect = z.object({
  profile: z.enum(['fast', 'openshift']),
  mode: z.enum(['unicast', 'multicast']),
});
/** The dialect that a node used last, and that of its flags then. */
const recordSchema = z.object({ flags: dialect, dialect });

/**
 * The dialect that this node used last, for a monitor that starts while the agreement file is broken or gone. Undefined
 * if the flags have changed since: then the new flags count.
 */
export function readDialectRecord(path: string, flags: VrrpDialect): VrrpDialect | undefined {
  try {
    const record = recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return sameDialect(record.flags, flags) ? record.dialect : undefined;
  } catch {
    return undefined;
  }
}

/** A failed write is logged once. */
export async function writeDialectRecord(
  path: string,
  flags: VrrpDialect,
  dialect: VrrpDialect,
  { log, once }: KeepalivedMonitorObservers,
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
