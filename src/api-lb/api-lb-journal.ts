import type { JournalEvents } from '../engine/observe/journal/journal-events.ts';
import { haproxyEvents } from '../haproxy/haproxy-events.ts';

const events: JournalEvents = {
  ...haproxyEvents,
  'server-transition': {
    kind: 'servers',
    subject: 'server',
    from: 'from',
    to: 'to',
    reason: 'check',
    facts: ['address'],
    title: 'server',
  },
  'servers-changed': { kind: 'servers', facts: ['added', 'removed'] },
  'redirect-added': { kind: 'health' },
  'redirect-removed': { kind: 'health' },
  'redirect-failed': { kind: 'health', reason: 'message', isTrouble: true },
  'servers-drained': { kind: 'servers', facts: ['drained', 'isIgnored'] },
};

/** The API load balancer's log events that the journal records. */
export const apiLbJournal = { events };
