import type { Rendered } from '../config/set.ts';

/** What to serve now, undefined while unknown, and when that changes without an event. */
export interface Wanted<T> {
  readonly input: T | undefined;
  readonly lookAgainInMs: number | undefined;
}

/** A configuration, or why none could be rendered, which was logged already. */
export type RenderResult =
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  | { readonly kind: 'refused'; readonly message: string };

/** How one program's configuration is rendered. */
export interface ProposalParts<T> {
  readonly next: (signal: AbortSignal) => Promise<Wanted<T>>;
  readonly render: (input: T) => Promise<RenderResult>;
}
