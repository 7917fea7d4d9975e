/** Whether a server of the load balancer gets clients. */
interface SeenServer {
  readonly name: string;
  readonly address: string;
  readonly state: string;
  /** HAProxy's message about the last check. */
  readonly check: string;
}

interface ServerTransition {
  readonly server: string;
  readonly address: string;
  /** Undefined before its first poll. */
  readonly from: string | undefined;
  readonly to: string;
  readonly check: string;
}

/**
 * The changes of each server since the previous poll. A new server is reported only if it is not up, and not while it is still rising: its
 * checks pass, so the last check's message would contradict `down`. A removed server is reported by the code that removed it from the list.
 */
export function serverTransitions(
  before: readonly SeenServer[],
  now: readonly SeenServer[],
): readonly ServerTransition[] {
  return now.flatMap(({ name, address, state, check }) => {
    const known = before.find((server) => server.name === name);
    const isRising = state === 'down' && PASSED.test(check);
    if (known === undefined ? state === 'up' || isRising : known.state === state) return [];
    return [{ server: name, address, from: known?.state, to: state, check }];
  });
}

/** HAProxy's codes for a check that passed; a star marks one that is running again. */
const PASSED = /^(?:\* )?L[467]OK/;
