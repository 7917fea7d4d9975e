import { apiLbJournal } from '../api-lb/journal-words.ts';
import { journalWords } from '../operate/timeline/journal-words.ts';
import { vipJournal } from '../vip/journal/journal-words.ts';

/** How the entries of every product's journals are told. */
export const allJournals = journalWords([apiLbJournal, vipJournal]);
