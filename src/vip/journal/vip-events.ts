import type { JournalEvent, JournalEvents } from '../../engine/observe/journal/journal-events.ts';
import { keepalivedEvents } from '../../keepalived/keepalived-events.ts';

const splitBrain: JournalEvent = {
  kind: 'split-brain',
  subject: 'vip',
  reason: 'message',
  facts: ['instance', 'interface', 'holders', 'lastedMs'],
};
const otherGroup: JournalEvent = { kind: 'group', reason: 'message', isTrouble: true };
const drained: JournalEvent = {
  kind: 'steering',
  subject: 'kinds',
  reason: 'why',
  facts: ['by', 'since', 'outcome', 'tookMs'],
};
const moving: JournalEvent = {
  kind: 'steering',
  subject: 'kind',
  to: 'to',
  reason: 'why',
  facts: ['by', 'until', 'outcome', 'tookMs'],
};

/** The events in the VIP's journals. */
export const vipEvents: JournalEvents = {
  ...keepalivedEvents,
  'split-brain': splitBrain,
  'split-brain-ended': splitBrain,
  'virtual-router-id-taken': otherGroup,
  'vip-with-another-router-id': otherGroup,
  'vip-in-another-vrrp-version': otherGroup,
  'virtual-router-id-free': { kind: 'group', facts: ['ids'] },
  'track-value-changed': {
    kind: 'health',
    subject: 'kind',
    from: 'before',
    to: 'value',
    reason: 'why',
    title: 'track value of',
  },
  'haproxy-health-changed': { kind: 'health', subject: 'kind', to: 'liveness', title: 'health of' },
  peers: { kind: 'health', subject: 'kind', to: 'serve', title: 'peers can serve' },
  'group-not-ready': { kind: 'group', reason: 'reason' },
  'removed-from-node-list': { kind: 'group', facts: ['path'] },
  'participation-changed': {
    kind: 'group',
    subject: 'kind',
    from: 'from',
    to: 'to',
    reason: 'reason',
    facts: ['until'],
    title: 'participation for',
  },
  'node-drained': drained,
  'node-undrained': drained,
  'invalid-vip-order': { kind: 'steering', reason: 'message' },
  'move-vip-began': moving,
  'move-vip-ended': moving,
};
