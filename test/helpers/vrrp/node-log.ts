import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { BedNode } from './bed-node.ts';

const lineSchema = z.looseObject({ event: z.string() });
export type LogLine = z.infer<typeof lineSchema>;

export interface NodeLog {
  readonly text: () => string;
  readonly lines: () => readonly LogLine[];
}

/** A program's log from this moment on: its whole text, and hawser's own lines. */
export function logFromNow(node: BedNode, program: string): NodeLog {
  const read = () => readFileSync(node.at(`${program}.log`), 'utf8');
  const from = read().length;
  const text = () => read().slice(from);
  return { text, lines: () => text().split('\n').flatMap(parseLine) };
}

/** hawser's own lines in the whole log of a program. */
export function linesOf(node: BedNode, program: string): readonly LogLine[] {
  return readFileSync(node.at(`${program}.log`), 'utf8')
    .split('\n')
    .flatMap(parseLine);
}

/** Not every line is hawser's: keepalived and HAProxy log here too, and the last line may be incomplete. */
function parseLine(line: string): readonly LogLine[] {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
