/** The first version in the text. The groups of the pattern are major, minor and an optional patch. */
export function versionIn(printed: string, pattern: RegExp): string | undefined {
  const [, major, minor, patch = '0'] = pattern.exec(printed) ?? [];
  return major === undefined || minor === undefined ? undefined : `${major}.${minor}.${patch}`;
}

/** Compares numerically: `2.10.1` is newer than `2.6.0`. */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [version, than].map((each) => each.split('.').map(Number));
  const at = own?.findIndex((part, index) => part !== other?.[index]) ?? -1;
  return at !== -1 && (own?.[at] ?? 0) < (other?.[at] ?? 0);
}
