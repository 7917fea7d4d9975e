/** One text and then others, without holding all of them. */
export function* pieces(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}
