/** Control and bidirectional characters. Text from a file or a server must not control a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text on one line, without characters that control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLE, '·').trim();
}

/** Like `printable`, but spaces stay as they are, for lines in columns. */
export function printableLine(line: string): string {
  return line.replaceAll(UNPRINTABLE, '·');
}

/** `1 server`, `2 servers`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A measured duration in readable precision: `93 ms`, `1.2 s`, `14 min`, `3.0 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** An upper bound. Like `ageText`, but rounded up. */
export function limitText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  return seconds <= 3_540 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

/** An age or a remaining time: `12 s`, `4 min`, `3 h`, `5 d`. Rounded down, so that repeated output seldom changes. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
