import type { SeenNode } from '../../engine/examine/seen.ts';
import type { ProxyStatus } from '../proxy-status.ts';

/** A machine, as far as the pod proxy knows it: missing where none runs, null if one is silent. */
export interface PodProxyNode extends SeenNode {
  readonly podProxy?: ProxyStatus | null | undefined;
}
