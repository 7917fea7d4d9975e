import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Calls `take` with the parsed JSON of each line. Throws for a line that does not parse: the program is at fault. */
export function readJsonLines(stream: Readable, take: (value: unknown) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new Error(`Cannot read output line ${JSON.stringify(line)}: no JSON, expected one value a line`, {
        cause,
      });
    }
    take(value);
  });
}
