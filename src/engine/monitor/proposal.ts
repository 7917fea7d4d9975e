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

type Proposal<T> = Pick<Wanted<T>, 'lookAgainInMs'> &
  ({ readonly kind: 'unknown' } | (RenderResult & { readonly input: T }));

/** The first half of a monitor's pass: the desired state, rendered. The monitor then applies it. */
export async function propose<T>(parts: ProposalParts<T>, signal: AbortSignal): Promise<Proposal<T>> {
  const { input, lookAgainInMs } = await parts.next(signal);
  if (input === undefined) return { kind: 'unknown', lookAgainInMs };
  return { input, ...(await parts.render(input)), lookAgainInMs };
}
