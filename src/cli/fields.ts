import * as z from 'zod/mini';
import { parseHostPort } from '../engine/system/network/address-text.ts';
import { parseAddress } from '../engine/system/network/node-address.ts';

export type FileForm = Readonly<Record<string, unknown>>;

/** JSON Schemas of fields that are not plain text in the file: numbers and lists. */
export const fileForms = z.registry<FileForm>();

/** A field parsed by `parse`. Text for which it returns undefined is refused with this message. */
export function parsedBy<T>(parse: (text: string) => T | undefined, message: string) {
  return z.pipe(
    z.string(),
    z.transform((text, context): T => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', input: text, message });
      return z.NEVER;
    }),
  );
}

/** A list separated by commas, or a YAML list in the settings file. With `message`, an empty list is refused. */
export function listOf<Element extends z.ZodMiniType<unknown, string>>(element: Element, message?: string) {
  const array = z.array(element);
  const list = z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) =>
        text
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      ),
    ),
    message === undefined ? array : array.check(z.minLength(1, { error: message })),
  );
  return list.register(fileForms, { type: ['array', 'string'], items: { type: 'string' } });
}

/** A record in the text of a list: `name=rke2 port=9345`. */
export type ListRecord = Readonly<Record<string, string>>;

/** Refuses a value. `path` is its position within the list, such as `[1, 'port']`. */
export type RefuseIn = (path: readonly (string | number)[], message: string) => void;

/** A list of records: `name=a port=1,name=b port=2` in a flag, maps in a YAML list. `properties` are JSON Schemas. */
export function recordsOf<T>(
  properties: Readonly<Record<string, FileForm>>,
  required: readonly string[],
  parse: (records: readonly ListRecord[], refuse: RefuseIn) => T,
) {
  const parsed = z.pipe(
    z.string(),
    z.transform((text, context): T => {
      const before = context.issues.length;
      const refuse: RefuseIn = (path, message) =>
        void context.issues.push({ code: 'custom', input: text, path: [...path], message });
      const value = parse(recordsIn(text, properties, required, refuse), refuse);
      return context.issues.length > before ? z.NEVER : value;
    }),
  );
  const items = { type: 'object', properties, required, additionalProperties: false };
  return parsed.register(fileForms, { type: ['array', 'string'], items });
}

function recordsIn(
  text: string,
  properties: Readonly<Record<string, FileForm>>,
  required: readonly string[],
  refuse: RefuseIn,
): readonly ListRecord[] {
  const allowed = Object.keys(properties);
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part, index) => {
    const pairs = part
      .trim()
      .split(/\s+/)
      .map((pair) => [pair.split('=')[0] ?? '', pair.split('=').slice(1).join('=')]);
    for (const [key = ''] of pairs)
      if (!allowed.includes(key)) refuse([index, key], `unknown, expected one of ${allowed.join(', ')}`);
    const record: ListRecord = Object.fromEntries(pairs);
    for (const key of required) if (record[key] === undefined) refuse([index, key], 'it is missing');
    return record;
  });
}

/** The text of a list, from the plain values of a file. */
export function listText(items: readonly unknown[]): string {
  return items
    .map((item) =>
      typeof item === 'object' && item !== null
        ? Object.entries(item)
            .map((pair) => pair.join('='))
            .join(' ')
        : item,
    )
    .join(',');
}

/** The kernel's limit for a unix socket path, minus the suffix of hawser's temporary names. */
const MAX_SOCKET_PATH = 90;

export const absolutePath = z.string().check(
  z.refine((path) => path.startsWith('/'), { error: 'expected an absolute path' }),
  z.refine((path) => !path.includes('\0') && path.length < 4096, {
    error: 'expected a path without NUL, shorter than 4096',
  }),
);

export const socketPath = absolutePath.check(
  z.refine((path) => Buffer.byteLength(path) <= MAX_SOCKET_PATH, {
    error: `expected at most ${MAX_SOCKET_PATH} bytes, as the kernel limits a socket's path to 107`,
  }),
);

export const port = wholeNumber(1, 65_535);

/** A host and a port: `127.0.0.1:29446` or `[::1]:29446`. */
export const listenAddress = parsedBy(parseHostPort, 'expected ADDRESS:PORT, such as 127.0.0.1:29446');

export const optionalListenAddress = z.union(
  [
    z.pipe(
      z.literal('off'),
      z.transform(() => undefined),
    ),
    listenAddress,
  ],
  { error: 'expected ADDRESS:PORT, such as 127.0.0.1:29446, or "off"' },
);

export const address = z.pipe(
  z.string(),
  z.transform((text, context): string => {
    const parsed = parseAddress(text.trim());
    if (parsed !== undefined) return parsed.text;
    const message = `"${text.trim()}" is not an address, expected IPv4 or IPv6`;
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  }),
);

export const addresses = listOf(address);

/** `HOST=IP[:PORT],…`, parsed elsewhere. */
export const serverList = z.string().register(fileForms, {
  type: ['array', 'string'],
  items: { type: 'string' },
});

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const last = words.at(-1) ?? '';
  return z.enum(words, { error: `expected ${words.slice(0, -1).join(', ')} or ${last}` });
}

/** For example the name of a node. */
export const nonEmpty = z.string().check(z.minLength(1, { error: 'expected a name' }));

export const directories = listOf(z.string(), 'expected a directory');

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** Node's timers have 31 bits of milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Parses `55s`, `500ms`, `2m` or `1h` into milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : UNITS_MS[unit];
  if (amount === undefined || factor === undefined) return undefined;
  const value = Number(amount) * factor;
  return value <= LONGEST_MS ? value : undefined;
}

/** A duration, or `never`, which is the maximum of a timer: 24 days. */
export const durationOrNeverMs = parsedBy(
  (text) => (text.trim() === 'never' ? LONGEST_MS : parseDurationMs(text)),
  'expected a number with a unit, such as 500ms, 55s or 2m, or never',
).register(fileForms, { type: 'string', pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h)|never)$' });

export const durationMs = parsedBy(
  parseDurationMs,
  'expected a number with a unit, such as 500ms, 55s or 2m',
).register(fileForms, { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$' });

export function wholeNumber(minimum: number, maximum: number) {
  return parsedBy(
    (text) => wholeNumberIn(text, minimum, maximum),
    `expected a whole number, ${minimum} to ${maximum}`,
  ).register(fileForms, { type: 'integer', minimum, maximum });
}

/** A whole number, or `auto`, which leaves the number to HAProxy. */
export function wholeNumberOrAuto(minimum: number, maximum: number) {
  return parsedBy(
    (text) => (text.trim() === 'auto' ? ('auto' as const) : wholeNumberIn(text, minimum, maximum)),
    `expected a whole number, ${minimum} to ${maximum}, or auto`,
  ).register(fileForms, { anyOf: [{ type: 'integer', minimum, maximum }, { const: 'auto' }] });
}

function wholeNumberIn(text: string, minimum: number, maximum: number): number | undefined {
  const value = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}

const MOST_MEBIBYTES = 10_000_000;

/** A size in MiB, parsed into bytes. */
export const mebibytes = parsedBy((text) => {
  const count = wholeNumberIn(text, 1, MOST_MEBIBYTES);
  return count === undefined ? undefined : count * 1_024 * 1_024;
}, `expected a whole number of MiB, 1 to ${MOST_MEBIBYTES}`).register(fileForms, {
  type: 'integer',
  minimum: 1,
  maximum: MOST_MEBIBYTES,
});
