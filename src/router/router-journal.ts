import { type JournalEvents, processLife } from '../engine/observe/journal/journal-events.ts';
import { haproxyEvents } from '../haproxy/haproxy-events.ts';

const events: JournalEvents = {
  ...haproxyEvents,
  'route-left-out': { kind: 'rejected', subject: 'route', reason: 'words' },
  'default-certificate-unusable': { kind: 'rejected', reason: 'message' },
  'file-unusable': { kind: 'rejected', subject: 'setting', reason: 'message' },
  'router-started': processLife,
};

/** The events that a router's journal keeps. */
export const routerJournal = { events };
