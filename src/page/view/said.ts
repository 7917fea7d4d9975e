/** How something is. Always shown as a shape and a word; colour only adds to them. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'unknown' | 'idle';

export interface Said {
  readonly tone: Tone;
  readonly words: string;
}

export function said(tone: Tone, words: string): Said {
  return { tone, words };
}

/** `12 s`, `4 min`, `3 h`, `5 d`: rounded down, so that what is shown seldom changes. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** `cp-1`, `cp-1 and cp-2`, `cp-1, cp-2 and cp-3`. */
export function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `1 server`, `2 servers`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
