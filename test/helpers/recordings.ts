import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export interface RecordedAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What a real kube-apiserver 1.26 answered, and in `objects/` one of 1.34, as `curl -i` wrote it down: see test/fixtures/recordings. Lists and
 * objects are without `managedFields`, the latter without `uid` and certificates too.
 */
export function readRecording(name: string): RecordedAnswer {
  const text = readFileSync(new URL(`../fixtures/recordings/${name}.http`, import.meta.url), 'utf8');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [statusLine = '', ...headerLines] = head.split(/\r?\n/);
  const headers = headerLines.map((line) => line.split(/: (.*)/s).slice(0, 2));
  return {
    code: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\n\n'),
  };
}

/** Every path to a value of these objects with the value's type, the values of `exact` fields included. */
function shapeOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => shapeOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null)
    return [`${path}: ${exact.test(path) ? value : typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => shapeOf(inner, `${path}.${key}`));
}
const exact = /\.(kind|apiVersion|code|reason|status|type|addressType|protocol)$/;

/** What the stand-in says must be in the real answer as well; the real one says more, which no parser needs. */
export function expectSameShape(actual: unknown, real: unknown, needed: readonly string[]): void {
  const realShape = new Set(shapeOf(real));
  const actualShape = shapeOf(actual);
  expect(actualShape.filter((line) => !realShape.has(line))).toEqual([]);
  for (const line of needed) expect(actualShape).toContain(line);
}

export function expectSameAnswer(
  actual: RecordedAnswer,
  recording: string,
  needed: readonly string[] = [],
): void {
  const real = readRecording(recording);
  expect(actual.code).toBe(real.code);
  expect(actual.headers['content-type']).toBe(real.headers['content-type']);
  expectSameShape(JSON.parse(actual.body), JSON.parse(real.body), needed);
}
