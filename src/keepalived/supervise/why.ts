import type { VrrpState } from '../vip-presence.ts';
import type { TransitionWords } from '../vrrp-program.ts';
import type { VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;

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

type TransitionCause = (typeof transitionCauses)[VrrpState][number];

export interface Why {
  readonly cause: TransitionCause;
  /** For people. */
  readonly reason: string;
}

interface NotifiedTransition {
  readonly instance: string;
  readonly to: VrrpState;
  readonly trackValue: number | undefined;
}

/** keepalived logs the reason just before it acts. An older message belongs to another transition. */
const SAID_WITHIN_MS = 1_000;

/** Its FIFO gives no reason. Its log has most reasons; the supervisor's knowledge at that moment gives the rest. */
export function whyNotified(state: State, transition: NotifiedTransition, now: number): Why {
  const { instance, to, trackValue } = transition;
  const from = state.instances.find(({ name }) => name === instance)?.state ?? 'UNKNOWN';
  const words = lastWords(state, transition, from, now);
  if (words !== undefined) return words;
  if (isReload(state, to)) return because('reload');
  switch (to) {
    case 'STOP':
      return because(state.daemon.kind === 'leaving' ? 'stopping' : 'stops');
    case 'FAULT':
      return because(trackValue !== undefined && trackValue <= -254 ? 'cannot-serve' : 'interface-or-check');
    case 'MASTER':
      return because('no-better-advert');
    case 'BACKUP':
      if (from === 'MASTER') return because('outranked');
      return because(from === 'FAULT' ? 'can-serve-again' : 'started');
    case 'UNKNOWN':
      return because('asked');
  }
}

/** A report after a reload shows its outcome. */
export function whyReported(state: State, to: VrrpState): Why {
  return because(isReload(state, to) ? 'reload' : 'asked');
}

/** keepalived passes through BACKUP while it reads its configuration, and then returns to its state. */
function isReload({ job }: State, to: VrrpState): boolean {
  return job?.stage === 'reloading' && (to === 'MASTER' || to === 'BACKUP');
}

function lastWords(
  { said, configuration }: State,
  { instance, to }: NotifiedTransition,
  from: VrrpState,
  now: number,
): Why | undefined {
  const vips = configuration?.instances.find(({ name }) => name === instance)?.vips ?? [];
  const recent = said.filter(({ at }) => now - at <= SAID_WITHIN_MS).toReversed();
  const meant = (words: TransitionWords): Why | undefined => {
    switch (words.kind) {
      case 'outranked':
        return to === 'BACKUP' && from === 'MASTER' && words.instance === instance
          ? outranked(words)
          : undefined;
      case 'address-removed':
        return to === 'BACKUP' && from === 'MASTER' && vips.some(({ address }) => address === words.address)
          ? {
              cause: 'address-removed',
              reason: `${words.address} was removed from ${words.interface} by another program`,
            }
          : undefined;
      case 'interface-down':
        return to === 'FAULT' && vips.some((vip) => vip.interface === words.interface)
          ? { cause: 'interface-down', reason: `interface ${words.interface} is down` }
          : undefined;
      case 'track-file-fault':
        return to === 'FAULT' && words.instance === instance ? because('cannot-serve') : undefined;
    }
  };
  for (const { words } of recent) {
    const why = meant(words);
    if (why !== undefined) return why;
  }
  return undefined;
}

function outranked({ by, theirs, ours }: Extract<TransitionWords, { kind: 'outranked' }>): Why {
  const reason =
    theirs === ours
      ? `${by} has the same priority, ${ours}, and the higher address`
      : `${by} has priority ${theirs}, this node ${ours}`;
  return { cause: 'outranked', reason };
}

function because(cause: keyof typeof REASONS): Why {
  return { cause, reason: REASONS[cause] };
}

const REASONS: Readonly<
  Record<Exclude<TransitionCause, 'gone' | 'address-removed' | 'interface-down'>, string>
> = {
  asked: "read from keepalived's state dump",
  reload: reloadReason,
  'no-better-advert': 'no advert of a node with a higher priority',
  outranked: 'a node with a higher priority took over, or the address was taken away',
  'cannot-serve': 'the track file says that this node cannot serve (-254)',
  'interface-or-check': 'an interface is down, or a check says that this node cannot serve',
  'can-serve-again': 'this node can serve again',
  started: 'keepalived has started',
  stopping: 'it was asked to stop',
  stops: 'keepalived stops',
};
