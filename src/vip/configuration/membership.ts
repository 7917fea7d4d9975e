import { findLiveFile, setAside } from '../../engine/apply/live-file.ts';
import { type RequestOutcome, request } from '../../engine/control/request.ts';
import type { Wanted } from '../../engine/monitor/proposal.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { groupView, membershipDelayMs, withoutForgetting } from '../group/membership-delay.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';

const LEAVE_TIMEOUT_MS = 5_000;
const LEAVE_AGAIN_MS = 1_000;
const RETURN_LOOK_MS = 200;

interface MembershipSequencer {
  /**
   * What may be served now: a change waits for this node's turn; of one that adds and removes nodes only the removal
   * waits. `isBelieved` says that an API server gave these lists in this run, and `isExpected`, asked before anything is
   * served, that the others most likely know this node already. If believed lists do not contain this node, the sequencer
   * asks the supervisor to stop keepalived until it has answered, and again at every later check, because the supervisor may
   * have been restarted.
   */
  readonly inTurn: (
    wanted: Wanted<VrrpInput>,
    standing: { readonly isBelieved: boolean; readonly isExpected: () => boolean },
    signal: AbortSignal,
  ) => Promise<Wanted<VrrpInput>>;
  readonly markServed: (input: VrrpInput) => void;
  /** The believed list does not contain this node: it must not take part, whatever files are on its disk. */
  readonly isExcluded: () => boolean;
}

/** Spreads the joins and leaves of a group over time, and keeps out a node that is not in its list. */
export function createMembershipSequencer(
  { socket, config }: { readonly socket: string; readonly config: string },
  { onExcluded }: { readonly onExcluded: () => void },
  observers: KeepalivedMonitorObservers,
): MembershipSequencer {
  const { log, once } = observers;
  let served: VrrpInput | undefined;
  let waiting: { readonly key: string; readonly since: number } | undefined;
  let isExcluded = false;
  let hasLeft = false;
  /** The others have forgotten this node in this run, however well the list is that of the last one. */
  let wasExcluded = false;

  /** Without keepalived.conf, neither a new supervisor nor a reboot starts keepalived. */
  const leave = async (signal: AbortSignal): Promise<void> => {
    const hadFile = await setAside(await findLiveFile(config)).catch((error: unknown) => {
      if (once.isNew('leave-file', messageOf(error)))
        log({
          event: 'configuration-not-set-aside',
          level: 'error',
          path: config,
          message: messageOf(error),
        });
      return false;
    });
    const trouble = troubleOf(await request(socket, 'leave', { timeoutMs: LEAVE_TIMEOUT_MS, signal }));
    if (signal.aborted) return;
    const isAnswered = trouble === undefined;
    if (isAnswered) once.clear('leave');
    else if (once.isNew('leave', trouble))
      log({ event: 'leave-not-answered', level: 'warn', socket, message: trouble });
    if (isAnswered && !hasLeft && (hadFile || served !== undefined))
      log({ event: 'left-the-group', level: 'warn', answer: 'answered' });
    hasLeft = isAnswered;
    if (isAnswered) served = undefined;
  };
  return {
    inTurn: async ({ input, lookAgainInMs }, { isBelieved, isExpected }, signal) => {
      if (input === undefined) return { input, lookAgainInMs };
      const view = groupView(input);
      if (isBelieved && view.isExcluded) {
        const isNew = !isExcluded;
        isExcluded = true;
        wasExcluded = true;
        waiting = undefined;
        if (isNew) onExcluded();
        await leave(signal);
        return { input, lookAgainInMs: hasLeft ? lookAgainInMs : LEAVE_AGAIN_MS };
      }
      if (isBelieved) isExcluded = false;
      hasLeft &&= isExcluded;
      const key = `${view.isMember} ${[...view.nodes].sort().join(' ')}`;
      if (waiting?.key !== key) waiting = { key, since: monotonicMs() };
      const before = served && groupView(served);
      const isReturn = before === undefined && !wasExcluded && isExpected();
      const leftMs = waiting.since + membershipDelayMs(before, view, isReturn) - monotonicMs();
      if (leftMs <= 0) return { input, lookAgainInMs };
      const meanwhile = before?.isMember === true && served ? withoutForgetting(served, input) : undefined;
      // What `isExpected` asks changes without waking anybody.
      const mostMs = before === undefined && !wasExcluded ? RETURN_LOOK_MS : leftMs;
      return { input: meanwhile, lookAgainInMs: Math.min(leftMs, mostMs, lookAgainInMs ?? leftMs) };
    },
    markServed: (input) => {
      served = input;
    },
    isExcluded: () => isExcluded,
  };
}

/** Undefined once keepalived is down. */
function troubleOf(outcome: RequestOutcome): string | undefined {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer.ok ? undefined : outcome.answer.message;
    case 'unreachable':
      return outcome.message;
  }
}
