import type { Rendered } from '../config/set.ts';

/** The input to render now, undefined if unknown, and when to check again without an event. */
export interface NextInput<T> {
  readonly input: T | undefined;
  readonly recheckInMs: number | undefined;
}

/** A rendered configuration, or why it could not be rendered. The failure has been logged. */
export type RenderResult =
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  | { readonly kind: 'refused'; readonly message: string };

/** How one program's configuration is rendered. */
export interface ProposalParts<T> {
  readonly next: (signal: AbortSignal) => Promise<NextInput<T>>;
  readonly render: (input: T) => Promise<RenderResult>;
}
