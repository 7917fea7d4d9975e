import type { LogEvent } from '../../system/log.ts';
import type { JournalEntry } from './journal-line.ts';

/** How the fields of a log event map to a journal entry, and its title. */
export interface JournalEvent {
  readonly kind: JournalEntry['kind'];
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly facts?: readonly string[];
  /** The title, if the event's name would repeat the fields. */
  readonly title?: string;
  /** The event is a problem, whatever its kind. */
  readonly isTrouble?: true;
}

/**
 * The events that a journal records, by name, because they can explain an incident; all others are only logged. Each room lists its own events, and a
 * program records those of its rooms.
 */
export type JournalEvents = Readonly<Record<string, JournalEvent>>;

const MAX_TEXT = 500;
const MAX_LIST = 50;

/** The journal entry of an event; undefined if it is not journaled. No text is longer than 500 characters. */
export function journalEntryOf(events: JournalEvents, event: LogEvent): JournalEntry | undefined {
  const row = Object.hasOwn(events, event.event) ? events[event.event] : undefined;
  if (row === undefined) return undefined;
  const text = (field: string | undefined): string | undefined => {
    const value = field === undefined ? undefined : scalarOf(event[field]);
    return value === undefined ? undefined : String(value);
  };
  const [subject, from, to, reason] = [row.subject, row.from, row.to, row.reason].map(text);
  const facts = (row.facts ?? []).flatMap((name) => {
    const value = scalarOf(event[name]);
    return value === undefined || name === row.subject ? [] : [[name, value] as const];
  });
  return {
    kind: row.kind,
    event: event.event,
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason }),
    ...(facts.length > 0 && { facts: Object.fromEntries(facts) }),
  };
}

/** Converts a field to a scalar. A list or an object becomes the text of its elements. Undefined for other values. */
function scalarOf(value: unknown): string | number | boolean | undefined {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'string':
      return value.slice(0, MAX_TEXT);
    default:
      return typeof value === 'object' && value !== null ? listOf(Object.values(value)) : undefined;
  }
}

function listOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LIST).flatMap((each) => elementOf(each) ?? []);
  return shown.join(', ').slice(0, MAX_TEXT);
}

/** Elements with several fields, such as the other holders of a VIP, are joined by spaces. */
function elementOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = Object.values(value).filter((each) => typeof each === 'string' || typeof each === 'number');
  return fields.length === 0 ? undefined : fields.join(' ');
}

/** Fields of events about a configuration that serves. */
export const servedFacts = ['cause', 'generation', 'pid', 'tookMs', 'config', 'servers', 'nodes', 'changeMs'];

export const processLife: JournalEvent = {
  kind: 'process',
  facts: ['pid', 'how', 'ranMs', 'held', 'signal', 'generation', 'hangs', 'dump'],
};

export const refusal: JournalEvent = {
  kind: 'rejected',
  subject: 'cause',
  reason: 'message',
  facts: ['stage', 'config', 'stillServing', 'stillRuns', 'detail'],
};

/** The events that the journal of every program records. */
export const engineEvents: JournalEvents = {
  'configuration-reloaded': {
    kind: 'reload',
    subject: 'generation',
    reason: 'reason',
    facts: servedFacts,
    title: 'reloaded to generation',
  },
  'configuration-changed': {
    kind: 'reload',
    subject: 'generation',
    facts: [...servedFacts, 'changes'],
    title: 'changed without a reload, generation',
  },
  'configuration-recovered': { kind: 'reload' },
  'falling-back-to-last-good': { kind: 'reload', reason: 'cause', facts: servedFacts },
  'configuration-rejected': {
    kind: 'rejected',
    subject: 'by',
    reason: 'message',
    facts: ['cause', 'detail'],
    title: 'configuration rejected by',
  },
  'configuration-not-applied': { kind: 'rejected', reason: 'message' },
  'template-unusable': { kind: 'rejected', subject: 'reason', reason: 'message', facts: ['detail'] },
  'template-usable': { kind: 'reload' },
  'lease-acquired': { kind: 'group', subject: 'name', facts: ['identity'] },
  'lease-lost': { kind: 'group', subject: 'name', facts: ['identity'] },
  'list-held': { kind: 'servers', reason: 'reason', facts: ['lost'] },
  'cold-start-with-last-known': { kind: 'servers', facts: ['servers'] },
  'cpu-starvation': { kind: 'health', facts: ['lagMs', 'lateTimers'], isTrouble: true },
  'cpu-starvation-ended': { kind: 'health', facts: ['worstLagMs', 'lateTimers', 'lastedMs'] },
  'supervisor-started': processLife,
  'supervisor-stopped': processLife,
  'monitor-started': processLife,
  'monitor-stopped': processLife,
  stopping: processLife,
  // Written by the journal itself.
  'journal-gap': { kind: 'journal', facts: ['lost'], isTrouble: true },
};
