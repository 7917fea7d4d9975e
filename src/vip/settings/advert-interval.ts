import * as z from 'zod/mini';
import { durationMs } from '../../cli/duration.ts';

/** VRRP 3 counts hundredths of a second in 12 bits. */
export const advertInterval = durationMs.check(
  z.refine((ms) => ms >= 10 && ms <= 40_950 && ms % 10 === 0, {
    error: 'expected 10ms to 40950ms in steps of 10ms',
  }),
);

/** What a node begins with that has spoken no dialect yet and was told none. After a partition two nodes hold a VIP for one of these. */
export const NEW_ADVERT_INTERVAL_MS = 20;
/** The default of the versions that did not note the interval: a group goes on with it until all its nodes change at one time. */
export const EARLIER_ADVERT_INTERVAL_MS = 100;
