/** A bootstrap node's way from holding the VIP to having handed it over. */
interface BootstrapState {
  readonly healthyOnce: boolean;
  readonly failuresInARow: number;
  /** For good: the control plane has taken over. */
  readonly resigned: boolean;
}

/** More failures than this, in a row and a second apart, and the bootstrap API server has gone. */
const toleratedFailures = 4;

export const initialBootstrap: BootstrapState = { healthyOnce: false, failuresInARow: 0, resigned: false };

/**
 * The state after one more look at the local `/readyz`, one a second. An API server that never answered is still
 * starting: only one that has been healthy can go away.
 */
export function nextBootstrap(state: BootstrapState, ready: boolean): BootstrapState {
  if (state.resigned) return state;
  if (ready) return { healthyOnce: true, failuresInARow: 0, resigned: false };
  const failuresInARow = state.healthyOnce ? state.failuresInARow + 1 : 0;
  return { ...state, failuresInARow, resigned: failuresInARow > toleratedFailures };
}
