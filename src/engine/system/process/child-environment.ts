/** Our launcher limits malloc to one arena; a multi-threaded proxy must not suffer from it. */
const OURS: ReadonlySet<string> = new Set([
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'MALLOC_TOP_PAD_',
]);

/** Our own variables without those that `bin/hawser` sets for this process alone. */
export function environmentForChildren(): Readonly<Record<string, string>> {
  const theirs = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || OURS.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(theirs);
}
