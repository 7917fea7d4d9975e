import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const shipped = fileURLToPath(new URL('../../../templates/keepalived.conf.ejs', import.meta.url));

/**
 * The keepalived.conf template with another advert interval, and a take-over after 0.3 s or three adverts. Tests use
 * rare adverts: a machine that is busy for a moment must not look like a dead node.
 */
export function templateWithAdverts(intervalMs: number, path = shipped): string {
  const missing = Math.max(3, Math.ceil(300 / intervalMs));
  return withAdverts(readFileSync(path, 'utf8'), intervalMs, missing);
}

/** `text` is the template, or its output. */
export function withAdverts(text: string, intervalMs: number, missing: number): string {
  return [
    [/\badvert_int 0\.02$/gm, `advert_int ${intervalMs / 1_000}`] as const,
    [/\bdown_timer_adverts 15$/gm, `down_timer_adverts ${missing}`] as const,
  ].reduce((before, [line, wanted]) => {
    if (!line.test(before)) throw new Error(`Cannot change the adverts: no line ends with ${line.source}`);
    return before.replace(line, wanted);
  }, text);
}
