/** One text followed by others, without buffering them all. */
export function* pieces(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}
