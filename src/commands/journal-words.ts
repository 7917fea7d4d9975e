import { apiLbJournal } from '../api-lb/api-lb-journal.ts';
import { journalWords } from '../operate/timeline/journal-words.ts';
import { routerJournal } from '../router/router-journal.ts';
import { vipJournal } from '../vip/journal/likely-causes.ts';

/** The journal's events of all products, and their wording. */
export const allJournals = journalWords([apiLbJournal, vipJournal, routerJournal]);
