import type { VrrpState } from './vip-presence.ts';

/** Why an instance can come into each state: few enough to be counted by. */
export const transitionCauses = {
  MASTER: ['no-better-advert', 'reload', 'asked'],
  BACKUP: ['outranked', 'address-removed', 'can-serve-again', 'started', 'reload', 'asked'],
  FAULT: ['cannot-serve', 'interface-down', 'interface-or-check', 'asked'],
  STOP: ['stopping', 'stops', 'gone'],
  UNKNOWN: ['asked'],
} as const satisfies Readonly<Record<VrrpState, readonly string[]>>;

/** For people: what an instance passes through then is no move of its VIP. */
export const reloadReason = 'keepalived was reloaded and reports its state again';

export type TransitionCause = (typeof transitionCauses)[VrrpState][number];
