import { likelyCauses } from './likely-causes.ts';
import { vipEvents } from './vip-events.ts';

/** What the journals of the VIP keep, and how it is told. */
export const vipJournal = { events: vipEvents, causes: likelyCauses };
