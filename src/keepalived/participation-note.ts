import { readText } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { parseJson } from '../engine/system/text/parse-json.ts';

/** Whether this node competes for the VIPs of one kind. Times are monotonic milliseconds. */
export type Participation =
  | { readonly state: 'in' }
  /** In FAULT until `until`. Infinity: until a fact changes. */
  | { readonly state: 'waiting'; readonly reason: WaitReason; readonly until: number }
  | { readonly state: 'out'; readonly reason: OutReason };

export type WaitReason =
  | 'router-id'
  | 'node-list'
  | 'node-list-settling'
  | 'reload'
  | 'peers-reload'
  | 're-admission'
  | 'segment'
  | 'holder-silent';

type OutReason = 'removed' | 'router-id-conflict' | 'source-address-missing' | 'vip-held-by-unheard-host';

/** `removed`: a list from an API server lacked this node, and it has not been admitted since. */
export type Before = 'nothing' | 'admitted' | 'removed';

/** A note in /run from a monitor to its supervisor and to the next monitor. */
export interface ParticipationNote {
  readonly before: Before;
  readonly state: Participation['state'];
  /** Until when a supervisor keeps a waiting node in FAULT; null: until the monitor is back. */
  readonly until: number | null;
  /** The track value. */
  readonly value: number;
  /** The URL that the supervisor polls while the monitor is silent. `unchecked`: health is not checked. Null: it cannot be polled. */
  readonly healthUrl: string | null;
}

/** `lb.participation.json` next to `lb.track`. */
function participationFile(trackFile: string): string {
  return `${trackFile.replace(/\.track$/, '')}.participation.json`;
}

const VERSION = 1;

/** Replaces the note atomically if it differs. Throws the system's error. */
export function writeParticipationNote(trackFile: string, note: ParticipationNote): void {
  const text = `${JSON.stringify({ version: VERSION, ...note })}\n`;
  const path = participationFile(trackFile);
  if (readText(path) !== text) replaceFile(path, text, 0o644);
}

/** Reads the note. Undefined if no monitor has written one since the boot, or if it has another version. */
export function readParticipationNote(trackFile: string): ParticipationNote | undefined {
  const note = parseJson(readText(participationFile(trackFile)));
  if (!isNote(note)) return undefined;
  const { before, state, until, value, healthUrl } = note;
  return { before, state, until, value, healthUrl };
}

const STATES: readonly unknown[] = ['in', 'waiting', 'out'];
const BEFORE: readonly unknown[] = ['nothing', 'admitted', 'removed'];

/** Validates by hand, because a schema library would cost the supervisor more memory than keepalived uses. */
function isNote(note: unknown): note is ParticipationNote {
  if (typeof note !== 'object' || note === null) return false;
  const fields: { readonly [K in keyof ParticipationNote | 'version']?: unknown } = note;
  return (
    fields.version === VERSION &&
    BEFORE.includes(fields.before) &&
    STATES.includes(fields.state) &&
    (fields.until === null || typeof fields.until === 'number') &&
    Number.isInteger(fields.value) &&
    (fields.healthUrl === null || typeof fields.healthUrl === 'string')
  );
}
