import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Spread, spreadOf } from '../reload/figures.ts';
import type { Machine } from '../reload/machine.ts';

const machine = z.object({
  cores: z.number(),
  processor: z.string(),
  memoryMb: z.number(),
  kernel: z.string(),
  node: z.string(),
  haproxy: z.string(),
  keepalived: z.string(),
  commit: z.string(),
  measuredAt: z.string(),
  loadAverage: z.number(),
}) satisfies z.ZodMiniType<Machine>;
const content = z.looseObject({ machine, quick: z.optional(z.boolean()) });

/** One file in a results folder: `failover.json`, or `failover-tail.json` for some of its faults. */
export interface ResultFile {
  readonly file: string;
  readonly bench: string;
  readonly content: z.infer<typeof content>;
}

/** The median of one measurement is that measurement. Null if the event never happened. */
export type Figure = (Partial<Spread> & { readonly median: number }) | boolean | null;

/** The results in `folder`, oldest first. Throws for a file that no bench wrote. */
export function readResults(folder: string): readonly ResultFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const parsed = content.safeParse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      if (!parsed.success) throw new Error(`Cannot use "${join(folder, file)}": no bench wrote it`);
      return { file, bench: file.split(/[-.]/)[0] ?? '', content: parsed.data };
    })
    .sort((a, b) => compare(a.content.machine.measuredAt, b.content.machine.measuredAt));
}

/**
 * The figure at `BENCH#path/with/slashes`, from the newest file of that bench that has it. `*` stands for each element of
 * a list, `[name=x,other=y]` for the first match. Undefined if it was not measured.
 */
export function figureAt(results: readonly ResultFile[], reference: string): Figure | undefined {
  const [bench = '', path = ''] = reference.split('#');
  const found = results
    .filter((each) => each.bench === bench)
    .map((each) => path.split('/').reduce(step, each.content as unknown))
    .findLast((value) => value !== undefined);
  return found === undefined ? undefined : figureOf(found, reference);
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value) && key.startsWith('[')) {
    const wanted = key.slice(1, -1).split(',');
    return value.find((each) =>
      wanted.every((pair) => `${step(each, pair.split('=')[0] ?? '')}` === pair.split('=')[1]),
    );
  }
  if (Array.isArray(value)) {
    const picked = value.map((each) => step(each, key === '*' ? '' : key));
    return picked.every((each) => each === undefined) ? undefined : picked;
  }
  if (key === '') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

const summary = z.union([
  z.looseObject({ median: z.number(), min: z.number(), max: z.number(), count: z.number() }),
  z.looseObject({ median: z.number(), max: z.number(), n: z.number() }),
]);

function figureOf(value: unknown, reference: string): Figure {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return { median: value };
  if (Array.isArray(value)) return spreadOf(value.filter((each) => typeof each === 'number'));
  const { data } = summary.safeParse(value);
  if (data === undefined) throw new Error(`Cannot show "${reference}": it is no figure`);
  return 'n' in data && typeof data.n === 'number'
    ? { median: data.median, max: data.max, count: data.n }
    : data;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
