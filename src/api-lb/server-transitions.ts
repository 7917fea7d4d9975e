/** A server of the load balancer, as far as it matters whether clients are sent there. */
export interface SeenServer {
  readonly name: string;
  readonly address: string;
  readonly state: string;
  /** The last check in HAProxy's words. */
  readonly check: string;
}

export interface ServerTransition {
  readonly server: string;
  readonly address: string;
  /** Undefined where it has not been seen before. */
  readonly from: string | undefined;
  readonly to: string;
  readonly check: string;
}

/**
 * What has become of each server since the look before. One that is seen for the first time is worth telling only
 * where it is not up; a server that is gone is reported by the code that removed it from the list.
 */
export function serverTransitions(
  before: readonly SeenServer[],
  now: readonly SeenServer[],
): readonly ServerTransition[] {
  return now.flatMap(({ name, address, state, check }) => {
    const known = before.find((server) => server.name === name);
    if (known === undefined ? state === 'up' : known.state === state) return [];
    return [{ server: name, address, from: known?.state, to: state, check }];
  });
}
