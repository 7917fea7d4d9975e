import { existsSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type * as z from 'zod/mini';
import { ConfigError, codeOf, messageOf } from '../engine/system/errors.ts';
import { fieldOf } from '../engine/system/field-of.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';
import { defaultSettingsPath, type SettingsReader, type SettingsValues } from './command-spec.ts';
import { listText } from './fields.ts';
import { nearestName } from './nearest-name.ts';
import { type SettingsKey, sectionsOf, settingsFileSchema } from './settings-form.ts';

type ParsedSettings =
  | { readonly kind: 'values'; readonly values: SettingsValues }
  /** All problems in line order, each prefixed with `path:line:`. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Validates the whole file, so that every program reports the same problems. `keys` are all allowed keys; `path` is for the messages. */
export function parseSettingsFile(text: string, path: string, keys: readonly SettingsKey[]): ParsedSettings {
  const content = readYaml(text);
  if (content.kind === 'problems')
    return problemsOf(
      path,
      content.problems.map(({ line, message }) => ({
        line,
        message: `Cannot parse YAML: ${message}, expected plain keys and values`,
      })),
    );
  if (content.value === null)
    return problemsOf(path, [
      { line: 1, message: 'Cannot use the file: it is empty, expected at least one key' },
    ]);
  const parsed = settingsFileSchema(keys).safeParse(content.value);
  if (parsed.success) return { kind: 'values', values: valuesOf(content, sectionsOf(keys)) };
  return problemsOf(
    path,
    parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, content, keys)),
  );
}

function problemsOf(path: string, problems: readonly YamlProblem[]): ParsedSettings {
  const sorted = problems.toSorted((a, b) => a.line - b.line);
  return { kind: 'problems', problems: sorted.map(({ line, message }) => `${path}:${line}: ${message}`) };
}

function problemsOfIssue(
  issue: z.core.$ZodIssue,
  { value, lineOf }: YamlContent,
  keys: readonly SettingsKey[],
) {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key]),
      message: unknownKey(issue.path, key, keys),
    }));
  const name = issue.path.join('.');
  const shown = shownValue(issue.path.reduce(fieldOf, value));
  const what =
    name === ''
      ? 'Cannot use the file: it is not a map of keys, expected "key: value" lines'
      : `Cannot use ${name} ${shown}: ${issue.message}`;
  return [{ line: lineOf(issue.path), message: what }];
}

function unknownKey(path: readonly PropertyKey[], key: string, keys: readonly SettingsKey[]): string {
  const [place = 'top'] = path;
  const here = keys.flatMap((each) => (each.place === place ? each.key : []));
  const allowed = (place === 'top' ? [...here, ...sectionsOf(keys)] : here).toSorted();
  return `Cannot use ${[...path, key].join('.')}: unknown, expected one of ${allowed.join(', ')}${hintFor(key, allowed, keys)}`;
}

/** Suggests the most similar key of this section, or else of another one. A valid key in the wrong section is the most common mistake. */
function hintFor(key: string, here: readonly string[], keys: readonly SettingsKey[]): string {
  const names = keys.map((each) => each.key);
  const near = names.includes(key) ? key : (nearestName(key, here) ?? nearestName(key, names));
  if (near === undefined) return '';
  if (here.includes(near)) return `; did you mean ${near}?`;
  const places = keys.flatMap((each) => (each.key !== near ? [] : each.place));
  const shown = places.map((each) => (each === 'top' ? 'at the top of the file' : `under "${each}:"`));
  return `; did you mean ${near}, ${shown.join(' or ')}?`;
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '(nothing)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.slice(0, 200)}"`;
}

function valuesOf({ value, lineOf }: YamlContent, sections: readonly string[]): SettingsValues {
  const entriesAt = (path: readonly string[]) =>
    Object.fromEntries(
      Object.entries(path.reduce<unknown>(fieldOf, value) ?? {}).flatMap(([key, raw]) => {
        const typed = Array.isArray(raw) ? listText(raw) : raw;
        if (typeof typed !== 'string' && typeof typed !== 'boolean') return [];
        return [[key, { value: typed, line: lineOf([...path, key]) }]];
      }),
    );
  const inSections = sections.map((section) => [section, entriesAt([section])]);
  return { top: entriesAt([]), ...Object.fromEntries(inSections) };
}

/** A file's content as plain values, with their lines. */
interface YamlContent {
  readonly kind: 'content';
  /** Numbers are source text (`0x1F` remains `0x1F`), so that flags and file share one parser. */
  readonly value: unknown;
  /** Line of the key at a path, or of its nearest parent. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

interface YamlProblem {
  readonly line: number;
  readonly message: string;
}

/** Limit of problems in one message. */
const MOST_PROBLEMS = 20;

/**
 * Parses one YAML document. Refuses everything that expands: anchors and aliases (a kilobyte can become a gigabyte), tags, merge keys, several
 * documents.
 */
function readYaml(text: string): YamlContent | { kind: 'problems'; problems: readonly YamlProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
  const syntaxErrors = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    message,
  }));
  const refused: YamlProblem[] = [];
  const value = plainOf(document.contents, (node, message) =>
    refused.push({ line: lineAt(node.range?.[0]), message }),
  );
  if (syntaxErrors.length + refused.length > 0)
    return { kind: 'problems', problems: firstOf([...syntaxErrors, ...refused]) };
  return { kind: 'content', value, lineOf: (path) => lineAt(offsetOf(document.contents, path)) };
}

/** Removes duplicates: the parser often reports one mistake many times. */
function firstOf(problems: readonly YamlProblem[]): readonly YamlProblem[] {
  const isFirst = ({ line, message }: YamlProblem, index: number) =>
    index === problems.findIndex((other) => other.line === line && other.message === message);
  return problems.filter(isFirst).slice(0, MOST_PROBLEMS);
}

function plainOf(node: unknown, refuse: (node: Node, message: string) => void): unknown {
  if (isScalar(node))
    return typeof node.value === 'number' || typeof node.value === 'bigint'
      ? (node.source ?? String(node.value))
      : node.value;
  if (isSeq(node)) return node.items.map((item) => plainOf(item, refuse));
  if (isMap(node)) {
    if (node.anchor !== undefined) refuse(node, 'anchors are not supported');
    return Object.fromEntries(
      node.items.map(({ key, value }) => [String(plainOf(key, refuse)), plainOf(value, refuse)]),
    );
  }
  if (node !== null && typeof node === 'object' && 'source' in node)
    return refuse(node as Node, 'aliases are not supported');
  return null;
}

function offsetOf(contents: unknown, path: readonly PropertyKey[]): number | undefined {
  let node = contents;
  let offset: number | undefined;
  for (const step of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
    if (pair === undefined) break;
    offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
    node = pair.value;
  }
  return offset;
}

/** Fifty times the size of a file with all keys. */
const MAX_SETTINGS_BYTES = 256 * 1024;

/** Reads in this process; supervisors use `readSettingsInChild`. `keys` are all allowed keys. */
export function settingsFileReader(keys: readonly SettingsKey[]): SettingsReader {
  return (path) => {
    const settingsPath = path ?? defaultSettingsPath;
    if (path === undefined && !existsSync(settingsPath)) return undefined;
    const parsed = parseSettingsFile(textOf(settingsPath), settingsPath, keys);
    if (parsed.kind === 'problems') throw new ConfigError(parsed.problems);
    return { path: settingsPath, values: parsed.values };
  };
}

function textOf(path: string): string {
  try {
    const { bytes } = readRegularFileSync(path, { MAX_SETTINGS_BYTES });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const isNoText = codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA';
    const what = isNoText ? 'it is not UTF-8' : messageOf(error);
    throw new ConfigError([`Cannot read settings file "${path}": ${what}, expected a YAML file`], {
      cause: error,
    });
  }
}
