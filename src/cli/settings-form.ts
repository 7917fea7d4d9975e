import * as z from 'zod/mini';
import { oncePer } from '../engine/system/once-per.ts';
import { type CommandSpec, type Flag, flagName, type Section, variableName } from './command-spec.ts';
import { type FileForm, fileForms, listText } from './fields.ts';

/** One key of the settings file. */
export interface SettingsKey extends Pick<Flag, 'help' | 'field' | 'default'> {
  /** `top`, or a section. */
  readonly place: string;
  readonly key: string;
  /** `--check-interval` or `KUBECONFIG`, which takes precedence over the key. */
  readonly typed: string;
  /** `HAWSER_ADVERT_INTERVAL`, or an established name. An argument has no variable. */
  readonly variable?: string;
}

/** Every key once, in the order of the daemons' flags. A new flag of a daemon becomes a key. */
export function settingsKeys(daemons: readonly CommandSpec[]): readonly SettingsKey[] {
  const all = daemons.flatMap(({ section, positionals, flags }): readonly SettingsKey[] => [
    ...Object.entries(positionals).flatMap(([key, declared]) =>
      keyIn(section, declared, { key, typed: key.toUpperCase() }),
    ),
    ...Object.entries(flags).flatMap(([key, flag]) =>
      keyIn(section, flag, { key, typed: flagName(key), variable: flag.variable ?? variableName(key) }),
    ),
  ]);
  return all.filter(
    ({ place, key }, index) => index === all.findIndex((each) => each.place === place && each.key === key),
  );
}

export function sectionsOf(keys: readonly SettingsKey[]): readonly Section[] {
  return [...new Set(keys.flatMap(({ place }) => (place === 'top' ? [] : place)))];
}

function keyIn(
  section: Section | undefined,
  { inFile, ...declared }: Pick<Flag, 'help' | 'field' | 'default' | 'inFile'>,
  names: Pick<SettingsKey, 'key' | 'typed' | 'variable'>,
): readonly SettingsKey[] {
  if (inFile === 'never' || section === undefined) return [];
  return [{ ...declared, ...names, place: inFile ?? section }];
}

/**
 * JSON Schema of a key's value in the settings file: the registered form of its field, or else zod's input schema. `optional` and defaults around a
 * field are ignored.
 */
export function fileFormOf({ field }: Pick<SettingsKey, 'field'>): FileForm {
  const {
    $schema: _schema,
    default: _default,
    ...form
  } = z.toJSONSchema(field, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const registered = fileForms.get(zodSchema);
      if (registered === undefined) return;
      for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
      Object.assign(jsonSchema, registered);
    },
  });
  return form;
}

export function isList(form: FileForm): boolean {
  return Array.isArray(form['type']) && form['type'].includes('array');
}

/** Schema of a parsed file, in which scalars except booleans are text, as in a flag. */
export const settingsFileSchema = oncePer((keys: readonly SettingsKey[]): z.ZodMiniType => {
  const shapeOf = (place: string) =>
    Object.fromEntries(
      keys.filter((each) => each.place === place).map((each) => [each.key, z.optional(valueSchema(each))]),
    );
  const sections = sectionsOf(keys).map((section) => [
    section,
    // A section with only comments is valid.
    z.optional(z.nullable(z.strictObject(shapeOf(section), { error: sectionError }))),
  ]);
  return z.strictObject({ ...shapeOf('top'), ...Object.fromEntries(sections) });
});

/** Returns undefined to keep zod's message about the inner problem. */
function sectionError({ code }: { readonly code: string }): string | undefined {
  return code === 'invalid_type' ? 'expected a section with keys of its own' : undefined;
}

function valueSchema(key: SettingsKey): z.ZodMiniType {
  const form = fileFormOf(key);
  if (form['type'] === 'boolean') return thenField(z.boolean({ error: 'expected true or false' }), key);
  const items = isListOfRecords(form) ? z.union([z.string(), plainRecord]) : z.string();
  const joined = z.pipe(
    z.array(items),
    z.transform((parts: (string | Record<string, string>)[]) => listText(parts)),
  );
  const error = isListOfRecords(form)
    ? 'expected a list of keys and values'
    : 'expected a list, or text with commas';
  const text = isList(form)
    ? z.union([z.string(), joined], { error })
    : z.string({ error: form['type'] === 'integer' ? 'expected a whole number' : 'expected text' });
  return thenField(text, key);
}

/** A record whose values are single words, because the text of a list separates them by blanks and commas. */
const plainRecord = z.record(z.string(), z.string().check(z.regex(/^[^\s,=]*$/)));

function isListOfRecords({ items }: FileForm): boolean {
  return typeof items === 'object' && items !== null && Reflect.get(items, 'type') === 'object';
}

function thenField<T>(first: z.ZodMiniType<T>, { field }: SettingsKey): z.ZodMiniType {
  const handedOn = z.transform((value: T): unknown => value);
  return z.pipe(z.pipe(first, handedOn), field);
}

export function settingsJsonSchema(keys: readonly SettingsKey[]): FileForm {
  const objectOf = (place: string, description: string) => ({
    type: place === 'top' ? 'object' : ['object', 'null'],
    description,
    additionalProperties: false,
    properties: Object.fromEntries(
      keys.filter((each) => each.place === place).map((each) => [each.key, propertyOf(each)]),
    ),
  });
  const top = objectOf('top', 'Settings of hawser. Flags and HAWSER_ variables take precedence.');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'hawser',
    ...top,
    properties: {
      ...top.properties,
      ...Object.fromEntries(
        sectionsOf(keys).map((section) => [
          section,
          objectOf(section, `Settings that only the pod "${section}" uses.`),
        ]),
      ),
    },
  };
}

function propertyOf(key: SettingsKey): FileForm {
  const form = fileFormOf(key);
  const isNumber = form['type'] === 'integer' || 'anyOf' in form;
  const fallback = isNumber && /^\d+$/.test(key.default ?? '') ? Number(key.default) : key.default;
  return { ...form, description: key.help, ...(key.default !== undefined && { default: fallback }) };
}
