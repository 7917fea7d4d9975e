/** How something is. Always shown as a shape and a word; colour only adds to them. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'unknown' | 'idle';

export interface StatusLabel {
  readonly tone: Tone;
  readonly words: string;
}

export function statusLabel(tone: Tone, words: string): StatusLabel {
  return { tone, words };
}

/** `cp-1`, `cp-1 and cp-2`, `cp-1, cp-2 and cp-3`. */
export function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
