import type { LogEvent } from '../../system/log.ts';
import type { JournalEntry } from './journal-line.ts';

/** Which field of a log event becomes what in the journal. */
interface Row {
  readonly kind: JournalEntry['kind'];
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly facts?: readonly string[];
}

const repaired: Row = { kind: 'repair', subject: 'vip', reason: 'reason', facts: ['instance', 'interface'] };
const splitBrain: Row = {
  ...{ kind: 'split-brain', subject: 'vip', reason: 'message' },
  facts: ['instance', 'interface', 'holders', 'lastedMs', 'outMs'],
};
const dialect: Row = {
  ...{ kind: 'group', from: 'from', to: 'to', reason: 'message' },
  facts: ['at', 'lateMs', 'stays'],
};
const drained: Row = {
  kind: 'steering',
  subject: 'kinds',
  reason: 'why',
  facts: ['by', 'since', 'outcome', 'tookMs'],
};
const moving = (kind: 'steering' | 'drill'): Row => ({
  ...{ kind, subject: 'kind', from: 'from', to: 'to', reason: 'why' },
  facts: ['by', 'backAt', 'until', 'outcome', 'tookMs'],
});
const life: Row = {
  kind: 'process',
  facts: ['pid', 'how', 'ranMs', 'held', 'signal', 'generation', 'hangs', 'dump'],
};
const refused: Row = {
  kind: 'rejected',
  subject: 'cause',
  reason: 'message',
  facts: ['stage', 'config', 'stillServing', 'stillRuns', 'detail'],
};
const served = ['cause', 'generation', 'pid', 'tookMs', 'config', 'servers', 'nodes', 'changeMs'];

/** The events that explain an incident afterwards. One that is not here is in the log alone. */
const rows: Readonly<Record<string, Row>> = {
  'vrrp-transition': {
    ...{ kind: 'vip', subject: 'instance', from: 'from', to: 'to', reason: 'reason' },
    facts: ['priority'],
  },
  'vrrp-priority': { kind: 'health', subject: 'instance', from: 'from', to: 'to', facts: ['state'] },
  'second-holder-heard': { kind: 'split-brain', subject: 'instance', facts: ['priority'] },
  'split-brain': splitBrain,
  'split-brain-left': splitBrain,
  'split-brain-over': splitBrain,
  'split-brain-returned': splitBrain,
  'virtual-router-id-taken': { kind: 'group', reason: 'message' },
  'vip-with-another-router-id': { kind: 'group', reason: 'message' },
  'virtual-router-id-free': { kind: 'group', facts: ['ids'] },
  'health-told': { kind: 'health', subject: 'kind', from: 'before', to: 'value', reason: 'why' },
  liveness: { kind: 'health', subject: 'kind', to: 'liveness' },
  peers: { kind: 'health', subject: 'kind', to: 'serve' },
  'monitor-silent': { kind: 'health', subject: 'path', to: 'value', reason: 'reason' },
  'node-demoted': { kind: 'health', subject: 'path', to: 'value', reason: 'reason' },
  'monitor-back': { kind: 'health', subject: 'path', to: 'value' },
  'vip-put-back': repaired,
  'stray-vip-removed': repaired,
  'stale-vip-removed': { ...repaired, subject: 'removed' },
  'stale-vip-stays': { kind: 'repair', reason: 'trouble' },
  'vip-not-repaired': { kind: 'repair', subject: 'vips', reason: 'trouble' },
  'generation-serving': { kind: 'reload', subject: 'generation', facts: served },
  'configuration-reloaded': { kind: 'reload', subject: 'generation', reason: 'reason', facts: served },
  'configuration-changed': { kind: 'reload', subject: 'generation', facts: [...served, 'changes'] },
  'drift-repaired': { kind: 'repair', subject: 'changes', facts: served },
  'change-refused': { kind: 'reload', reason: 'reason', facts: ['cause', 'changes'] },
  'configuration-recovered': { kind: 'reload' },
  'falling-back-to-last-good': { kind: 'reload', reason: 'cause', facts: served },
  'generation-refused': refused,
  'configuration-refused': refused,
  'configuration-rejected': {
    ...{ kind: 'rejected', subject: 'by', reason: 'message' },
    facts: ['cause', 'detail'],
  },
  'configuration-not-applied': { kind: 'rejected', reason: 'message' },
  'template-unusable': { kind: 'rejected', subject: 'reason', reason: 'message', facts: ['detail'] },
  'template-usable': { kind: 'reload' },
  'route-left-out': { kind: 'rejected', subject: 'route', reason: 'words' },
  'default-certificate-unusable': { kind: 'rejected', reason: 'message' },
  'lease-taken': { kind: 'group', subject: 'name', facts: ['identity'] },
  'lease-lost': { kind: 'group', subject: 'name', facts: ['identity'] },
  'server-transition': {
    ...{ kind: 'servers', subject: 'server', from: 'from', to: 'to', reason: 'check' },
    facts: ['address'],
  },
  'server-set-aside': {
    kind: 'servers',
    subject: 'server',
    reason: 'suspicion',
    facts: ['address', 'tookMs'],
  },
  'server-left-alone': {
    kind: 'servers',
    subject: 'server',
    reason: 'verdict',
    facts: ['address', 'suspicion', 'tookMs', 'message'],
  },
  'servers-changed': { kind: 'servers', facts: ['added', 'removed'] },
  'list-held': { kind: 'servers', reason: 'reason', facts: ['lost'] },
  'cold-start-with-last-known': { kind: 'servers', facts: ['servers'] },
  'group-not-ready': { kind: 'group', reason: 'reason' },
  'left-the-group': { kind: 'group', facts: ['answer'] },
  'profile-change-planned': dialect,
  'profile-change-refused': dialect,
  'profile-change-cancelled': dialect,
  'profile-changed': dialect,
  'node-drained': drained,
  'node-undrained': drained,
  'order-unusable': { kind: 'steering', reason: 'message' },
  'move-vip-began': moving('steering'),
  'move-vip-step': moving('steering'),
  'move-vip-over': moving('steering'),
  'drill-began': moving('drill'),
  'drill-step': moving('drill'),
  'drill-over': moving('drill'),
  'drill-measured': { kind: 'drill', facts: ['attempts', 'failed', 'longestGapMs', 'failingMs'] },
  'cpu-starvation': { kind: 'health', facts: ['lagMs', 'lateTimers'] },
  'cpu-starvation-over': { kind: 'health', facts: ['worstLagMs', 'lateTimers', 'lastedMs'] },
  'generation-died': life,
  'generation-hung': life,
  'keepalived-hung': life,
  'keepalived-died': life,
  'keepalived-killed': life,
  'keepalived-adopted': life,
  'keepalived-gone': life,
  'supervisor-started': life,
  'supervisor-stopped': life,
  'monitor-started': life,
  'router-started': life,
  'monitor-stopped': life,
  stopping: life,
};

const MAX_TEXT = 500;
const MAX_LIST = 50;

/** What the journal keeps of an event, undefined where it keeps nothing. No text is longer than 500 characters. */
export function journalEntryOf(event: LogEvent): JournalEntry | undefined {
  const row = Object.hasOwn(rows, event.event) ? rows[event.event] : undefined;
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

/** What JSON can say in one value: a list or an object as its elements, numbers where they are finite. */
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

/** A list of things with several fields, such as the other holders of a VIP, has these side by side. */
function elementOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = Object.values(value).filter((each) => typeof each === 'string' || typeof each === 'number');
  return fields.length === 0 ? undefined : fields.join(' ');
}
