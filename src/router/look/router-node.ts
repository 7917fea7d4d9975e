import type { SeenNode } from '../../engine/examine/seen.ts';
import type { RouterStatus } from '../serve/router-status.ts';

/** A machine, as far as the router knows it: missing where none runs, null if one is silent. */
export interface RouterNode extends SeenNode {
  readonly router?: RouterStatus | null | undefined;
}
