import type { Rendered } from '../apply/file-set.ts';

/** What to serve now, undefined while unknown, and when it will change without an event. */
export interface Wanted<T> {
  readonly input: T | undefined;
  readonly lookAgainInMs: number | undefined;
}

/** A configuration, or why there can be none now, which was logged already. */
export type RenderResult =
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  | { readonly kind: 'refused'; readonly message: string };

/** A configuration, and what it was made of. */
export interface Proposed<T> {
  readonly input: T;
  readonly rendered: Rendered;
}

/** How one program's configuration is made. */
export interface ProposalParts<T> {
  readonly next: (signal: AbortSignal) => Promise<Wanted<T>>;
  readonly render: (input: T) => Promise<RenderResult>;
}

type Proposal<T> = Pick<Wanted<T>, 'lookAgainInMs'> &
  ({ readonly kind: 'unknown' } | (RenderResult & { readonly input: T }));

/**
 * The first half of a monitor's pass: what should be served now, rendered. The monitor goes on to apply it; `hawser
 * plan` compares it with what is served.
 */
export async function propose<T>(parts: ProposalParts<T>, signal: AbortSignal): Promise<Proposal<T>> {
  const { input, lookAgainInMs } = await parts.next(signal);
  if (input === undefined) return { kind: 'unknown', lookAgainInMs };
  return { input, ...(await parts.render(input)), lookAgainInMs };
}
