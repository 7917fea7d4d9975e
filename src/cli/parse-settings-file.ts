import type * as z from 'zod/mini';
import { nearestName } from './nearest-name.ts';
import { settingsFileSchema } from './settings-form.ts';
import { type SettingsKey, sectionsOf } from './settings-keys.ts';
import type { SettingsValues } from './settings-values.ts';
import { readYaml, type YamlContent } from './settings-yaml.ts';

type ParsedSettings =
  | { readonly kind: 'values'; readonly values: SettingsValues }
  /** Every problem in line order, each prefixed with `path:line:`. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Validates the whole file, so that every program reports the same. `keys` are all allowed keys, `path` is for the messages. */
export function parseSettingsFile(text: string, path: string, keys: readonly SettingsKey[]): ParsedSettings {
  const content = readYaml(text);
  if (content.kind === 'problems')
    return problemsOf(
      path,
      content.problems.map(({ line, message }) => ({
        line,
        message: `Cannot read it as YAML: ${message}, expected plain keys and values`,
      })),
    );
  if (content.value === null)
    return problemsOf(path, [{ line: 1, message: 'Cannot use it: it is empty, expected at least one key' }]);
  const parsed = settingsFileSchema(keys).safeParse(content.value);
  if (parsed.success) return { kind: 'values', values: valuesOf(content, sectionsOf(keys)) };
  return problemsOf(
    path,
    parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, content, keys)),
  );
}

function problemsOf(
  path: string,
  problems: readonly { readonly line: number; readonly message: string }[],
): ParsedSettings {
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
      ? 'Cannot use it: it is not a list of keys, expected "key: value" lines'
      : `Cannot use ${name} ${shown}: ${issue.message}`;
  return [{ line: lineOf(issue.path), message: what }];
}

function unknownKey(path: readonly PropertyKey[], key: string, keys: readonly SettingsKey[]): string {
  const [place = 'top'] = path;
  const here = keys.flatMap((each) => (each.place === place ? each.key : []));
  const known = (place === 'top' ? [...here, ...sectionsOf(keys)] : here).toSorted();
  return `Cannot use ${[...path, key].join('.')}: unknown, expected one of ${known.join(', ')}${hintFor(key, known, keys)}`;
}

/** The most similar key of this section, otherwise of another one: a valid key in the wrong section is the most common mistake. */
function hintFor(key: string, here: readonly string[], keys: readonly SettingsKey[]): string {
  const names = keys.map((each) => each.key);
  const near = names.includes(key) ? key : (nearestName(key, here) ?? nearestName(key, names));
  if (near === undefined) return '';
  if (here.includes(near)) return `; did you mean ${near}?`;
  const places = keys.flatMap((each) => (each.key !== near ? [] : each.place));
  const shown = places.map((each) => (each === 'top' ? 'at the top of the file' : `under "${each}:"`));
  return `; did you mean ${near}, ${shown.join(' or ')}?`;
}

function fieldOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
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
        const typed = Array.isArray(raw) ? raw.join(',') : raw;
        if (typeof typed !== 'string' && typeof typed !== 'boolean') return [];
        return [[key, { value: typed, line: lineOf([...path, key]) }]];
      }),
    );
  const inSections = sections.map((section) => [section, entriesAt([section])]);
  return { top: entriesAt([]), ...Object.fromEntries(inSections) };
}
