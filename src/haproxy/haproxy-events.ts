import {
  type JournalEvents,
  processLife,
  refusal,
  servedFacts,
} from '../engine/observe/journal/journal-events.ts';

/** The journal's events of HAProxy and its supervisor. */
export const haproxyEvents: JournalEvents = {
  'generation-serving': {
    kind: 'reload',
    subject: 'generation',
    facts: servedFacts,
    title: 'now serving generation',
  },
  'generation-refused': { ...refusal, title: 'generation refused, cause' },
  'generation-died': { ...processLife, isTrouble: true },
  'generation-hung': { ...processLife, isTrouble: true },
  'generation-busy': { ...processLife, isTrouble: true },
  'generation-killed': { ...processLife, reason: 'reason', isTrouble: true },
  'generation-cut-short': {
    kind: 'process',
    subject: 'generation',
    reason: 'limit',
    facts: ['most', 'found', 'drainedMs'],
  },
  'drift-repaired': {
    kind: 'repair',
    subject: 'changes',
    facts: servedFacts,
    title: 'manual changes reverted:',
  },
  'change-refused': {
    kind: 'reload',
    reason: 'reason',
    facts: ['cause', 'changes'],
    title: 'reload needed',
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
};
