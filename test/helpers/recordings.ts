import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export interface RecordedAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What a real kube-apiserver 1.26 answered, and in `objects/` a 1.34, as printed by `curl -i`: see
 * test/fixtures/recordings. Lists and objects lack `managedFields`; the objects also lack `uid` and certificates.
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

/** Every path in these objects with the type of its value, or with the value itself for `exact` fields. */
function shapeOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => shapeOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null)
    return [`${path}: ${exact.test(path) ? value : typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => shapeOf(inner, `${path}.${key}`));
}
const exact = /\.(kind|apiVersion|code|reason|status|type|addressType|protocol)$/;

/** Everything in the stand-in's answer must be in the real one too; the real one has more, which no parser needs. */
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
