import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { EARLIER_ADVERT_INTERVAL_MS, NEW_ADVERT_INTERVAL_MS } from '../settings/advert-interval.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { VrrpDialect } from './vrrp-agreement.ts';

const dialect = z.object({
  profile: z.enum(['fast', 'openshift']),
  mode: z.enum(['unicast', 'multicast']),
  /** Missing in the flags where none was given, and in both where an earlier version has written them. */
  advertIntervalMs: z.optional(z.number()),
});
/** The dialect that a node used last, and that of its flags then. */
const recordSchema = z.object({
  flags: dialect,
  dialect,
  /** Missing where the node was told one, and where an earlier version has written this. */
  isIntervalUntold: z.optional(z.boolean()),
});

/** What the flags say; without an interval the group's counts. */
export type DialectFlags = Omit<VrrpDialect, 'advertIntervalMs'> & {
  readonly advertIntervalMs?: number | undefined;
};

/** `isNew`: this node has spoken none with these flags yet. */
interface FirstDialect {
  readonly dialect: VrrpDialect;
  readonly isNew: boolean;
  /** Nobody has told this node an interval: its group's counts, where that can be heard. */
  readonly isIntervalUntold: boolean;
}

/**
 * The dialect that this node begins with: the one that it used last, so that a monitor that starts while the agreement file is
 * broken or gone goes on with what was agreed. If profile and mode of the flags have changed since, or the interval has, the
 * new ones count. A node that was never told an interval keeps the one that its group has, whatever a new node would begin with. A
 * group of the openshift profile has none of its own, so its nodes will begin with that of a new node.
 */
export function firstDialect(path: string, flags: DialectFlags): FirstDialect {
  const record = readRecord(path);
  if (record === undefined)
    return {
      dialect: { ...flags, advertIntervalMs: flags.advertIntervalMs ?? NEW_ADVERT_INTERVAL_MS },
      isNew: true,
      isIntervalUntold: flags.advertIntervalMs === undefined,
    };
  const isAsBefore = record.flags.profile === flags.profile && record.flags.mode === flags.mode;
  const { profile, mode } = isAsBefore ? record.dialect : flags;
  const agreedMs = record.dialect.advertIntervalMs;
  const isGivenAnew = agreedMs === undefined || flags.advertIntervalMs !== record.flags.advertIntervalMs;
  const isFast = record.dialect.profile === 'fast';
  const keptMs = agreedMs ?? (isFast ? EARLIER_ADVERT_INTERVAL_MS : NEW_ADVERT_INTERVAL_MS);
  const advertIntervalMs = isGivenAnew ? (flags.advertIntervalMs ?? keptMs) : keptMs;
  const isIntervalUntold = record.isIntervalUntold === true && flags.advertIntervalMs === undefined;
  return { dialect: { profile, mode, advertIntervalMs }, isNew: !isAsBefore, isIntervalUntold };
}

function readRecord(path: string): z.infer<typeof recordSchema> | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A failed write is logged once. */
export async function writeDialectRecord(
  path: string,
  record: {
    readonly flags: DialectFlags;
    readonly dialect: VrrpDialect;
    readonly isIntervalUntold: boolean;
  },
  { log, once }: KeepalivedMonitorObservers,
): Promise<void> {
  try {
    await writeFileAtomically(path, `${JSON.stringify(record)}\n`, { mode: 0o644 });
    once.clear('dialect-record');
  } catch (error) {
    const message = messageOf(error);
    if (once.isNew('dialect-record', message))
      log({ event: 'profile-not-recorded', level: 'warn', path, message });
  }
}
