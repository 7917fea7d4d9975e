import { likelyCauses } from './likely-causes.ts';

/** What the VIP and its keepalived tell in the journal. */
export const vipJournal = {
  titles: {
    'vrrp-transition': '',
    'vrrp-priority': 'priority of',
    'health-told': 'track value of',
    liveness: 'health of',
    peers: 'can peers serve',
  },
  trouble: [
    'keepalived-died',
    'keepalived-hung',
    'keepalived-killed',
    'monitor-silent',
    'node-demoted',
    'vip-not-repaired',
    'virtual-router-id-taken',
    'vip-with-another-router-id',
  ],
  causes: likelyCauses,
};
