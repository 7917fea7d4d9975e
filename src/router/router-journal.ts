import { type JournalEvents, processLife } from '../engine/observe/journal/journal-events.ts';
import { haproxyEvents } from '../haproxy/haproxy-events.ts';

const events: JournalEvents = {
  ...haproxyEvents,
  'route-left-out': { kind: 'rejected', subject: 'route', reason: 'words' },
  'default-certificate-unusable': { kind: 'rejected', reason: 'message' },
  'file-unusable': { kind: 'rejected', subject: 'setting', reason: 'message' },
  'router-started': processLife,
};

/** What the journals of a router keep. */
export const routerJournal = { events };
