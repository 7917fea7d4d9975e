import type { VrrpState } from '../vip-presence.ts';
import type { TransitionWords } from '../vrrp-program.ts';
import type { VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;

/** The possible causes of a transition to each state. They are labels of a metric, so they must be few. */
export const transitionCauses = {
  MASTER: ['no-better-advert', 'reload', 'asked'],
  BACKUP: ['outranked', 'address-removed', 'can-serve-again', 'started', 'reload', 'asked'],
  FAULT: ['cannot-serve', 'interface-down', 'interface-or-check', 'asked'],
  STOP: ['stopping', 'stops', 'gone'],
  UNKNOWN: ['asked'],
} as const satisfies Readonly<Record<VrrpState, readonly string[]>>;

/** The reason of transitions during a reload, which do not move a VIP. */
export const reloadReason = 'keepalived was reloaded and reports its state again';

type TransitionCause = (typeof transitionCauses)[VrrpState][number];

export interface Why {
  readonly cause: TransitionCause;
  /** The cause as text, with details. */
  readonly reason: string;
}

interface NotifiedTransition {
  readonly instance: string;
  readonly to: VrrpState;
  readonly trackValue: number | undefined;
}

/** keepalived logs the reason just before it acts. An older line belongs to another transition. */
const LOGGED_WITHIN_MS = 1_000;

/** Why an instance changed its state. The FIFO has no reasons: most come from keepalived's log, the others from the supervisor's state. */
export function whyNotified(state: State, transition: NotifiedTransition, now: number): Why {
  const { instance, to, trackValue } = transition;
  const from = state.instances.find(({ name }) => name === instance)?.state ?? 'UNKNOWN';
  const logged = whyLogged(state, transition, from, now);
  if (logged !== undefined) return logged;
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

/** Why a dump shows another state: a report after a reload shows the outcome of the reload. */
export function whyReported(state: State, to: VrrpState): Why {
  return because(isReload(state, to) ? 'reload' : 'asked');
}

/** keepalived passes through BACKUP while it reads its configuration, and then returns to its state. */
function isReload({ job }: State, to: VrrpState): boolean {
  return job?.stage === 'reloading' && (to === 'MASTER' || to === 'BACKUP');
}

function whyLogged(
  { logged, configuration }: State,
  { instance, to }: NotifiedTransition,
  from: VrrpState,
  now: number,
): Why | undefined {
  const vips = configuration?.instances.find(({ name }) => name === instance)?.vips ?? [];
  const recent = logged.filter(({ at }) => now - at <= LOGGED_WITHIN_MS).toReversed();
  const matching = (words: TransitionWords): Why | undefined => {
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
    const why = matching(words);
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
  'no-better-advert': 'no advert from a node with a higher priority',
  outranked: 'a node with a higher priority took over, or the address was removed',
  'cannot-serve': 'the track file says that this node cannot serve (-254)',
  'interface-or-check': 'an interface is down, or a check says that this node cannot serve',
  'can-serve-again': 'this node can serve again',
  started: 'keepalived has started',
  stopping: 'stopped on request',
  stops: 'keepalived stops',
};
