import {
  type JournalEvent,
  type JournalEvents,
  processLife,
  refusal,
} from '../engine/observe/journal/journal-events.ts';

const repaired: JournalEvent = {
  kind: 'repair',
  subject: 'vip',
  reason: 'reason',
  facts: ['instance', 'interface'],
};
const ofTrackFile: JournalEvent = { kind: 'health', subject: 'path', to: 'value', reason: 'reason' };
const died: JournalEvent = { ...processLife, isTrouble: true };

/** The journal's events of keepalived and its supervisor. */
export const keepalivedEvents: JournalEvents = {
  'vrrp-transition': {
    kind: 'vip',
    subject: 'instance',
    from: 'from',
    to: 'to',
    reason: 'reason',
    facts: ['priority'],
    title: '',
  },
  'vrrp-priority': {
    kind: 'health',
    subject: 'instance',
    from: 'from',
    to: 'to',
    facts: ['state'],
    title: 'priority of',
  },
  'lower-priority-advert-received': { kind: 'split-brain', subject: 'instance', facts: ['priority'] },
  'monitor-silent': { ...ofTrackFile, isTrouble: true },
  'node-demoted': { ...ofTrackFile, isTrouble: true },
  'monitor-back': { kind: 'health', subject: 'path', to: 'value' },
  'vip-restored': repaired,
  'stray-vip-removed': repaired,
  'stale-vip-removed': { ...repaired, subject: 'removed' },
  'stale-vip-not-removed': { kind: 'repair', reason: 'trouble' },
  'vip-not-repaired': { kind: 'repair', subject: 'vips', reason: 'trouble', isTrouble: true },
  'configuration-refused': { ...refusal, title: 'configuration refused, cause' },
  'keepalived-hung': died,
  'keepalived-died': died,
  'keepalived-killed': died,
  'keepalived-adopted': processLife,
  'keepalived-gone': processLife,
};
