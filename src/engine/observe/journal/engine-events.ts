import type { JournalEvent, JournalEvents } from './journal-events.ts';

/** Fields of events about a configuration that serves. */
export const servedFacts = [
  ...['cause', 'generation', 'pid', 'tookMs', 'config', 'servers', 'nodes', 'changeMs'],
];

/** A process that started or ended. */
export const processLife: JournalEvent = {
  kind: 'process',
  facts: ['pid', 'how', 'ranMs', 'held', 'signal', 'generation', 'hangs', 'dump'],
};

/** A configuration that a supervisor refused. */
export const refusal: JournalEvent = {
  ...{ kind: 'rejected', subject: 'cause', reason: 'message' },
  facts: ['stage', 'config', 'stillServing', 'stillRuns', 'detail'],
};

/** What the journal of every program keeps. */
export const engineEvents: JournalEvents = {
  'configuration-reloaded': {
    ...{ kind: 'reload', subject: 'generation', reason: 'reason', facts: servedFacts },
    title: 'reloaded to generation',
  },
  'configuration-changed': {
    ...{ kind: 'reload', subject: 'generation', facts: [...servedFacts, 'changes'] },
    title: 'changed without a reload, generation',
  },
  'configuration-recovered': { kind: 'reload' },
  'falling-back-to-last-good': { kind: 'reload', reason: 'cause', facts: servedFacts },
  'configuration-rejected': {
    ...{ kind: 'rejected', subject: 'by', reason: 'message', facts: ['cause', 'detail'] },
    title: 'configuration rejected by',
  },
  'configuration-not-applied': { kind: 'rejected', reason: 'message' },
  'template-unusable': { kind: 'rejected', subject: 'reason', reason: 'message', facts: ['detail'] },
  'template-usable': { kind: 'reload' },
  'lease-taken': { kind: 'group', subject: 'name', facts: ['identity'] },
  'lease-lost': { kind: 'group', subject: 'name', facts: ['identity'] },
  'list-held': { kind: 'servers', reason: 'reason', facts: ['lost'] },
  'cold-start-with-last-known': { kind: 'servers', facts: ['servers'] },
  'cpu-starvation': { kind: 'health', facts: ['lagMs', 'lateTimers'], isTrouble: true },
  'cpu-starvation-over': { kind: 'health', facts: ['worstLagMs', 'lateTimers', 'lastedMs'] },
  'supervisor-started': processLife,
  'supervisor-stopped': processLife,
  'monitor-started': processLife,
  'monitor-stopped': processLife,
  stopping: processLife,
  // The journal writes this one itself.
  'journal-gap': { kind: 'journal', facts: ['lost'], isTrouble: true },
};
