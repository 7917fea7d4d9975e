import type { VrrpState } from './vip-presence.ts';

/** Why an instance can come into each state: few enough to be counted by. */
export const transitionCauses = {
  MASTER: ['no-better-advert', 'asked'],
  BACKUP: ['outranked', 'can-serve-again', 'started', 'asked'],
  FAULT: ['cannot-serve', 'interface-or-check', 'asked'],
  STOP: ['stopping', 'stops', 'gone'],
  UNKNOWN: ['asked'],
} as const satisfies Readonly<Record<VrrpState, readonly string[]>>;

export type TransitionCause = (typeof transitionCauses)[VrrpState][number];
