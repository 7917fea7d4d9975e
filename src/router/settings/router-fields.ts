import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { absolutePath, fileForms, listenAddress, oneOf, parsedBy } from '../../cli/fields.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { isHostName } from '../safe-text.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  '': 1,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** HAProxy's maximum time. */
export const MAX_MS = 2 ** 31 - 1;

/** A time in HAProxy's syntax, in milliseconds: `500ms`, `30s`, `1d`; without a unit milliseconds. Longer times are clipped. */
function parseTimeMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,99})(us|ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  return Math.min(MAX_MS, Math.ceil(Number(amount) * (UNITS_MS[unit] ?? 1)));
}

export const timeMs = parsedBy(parseTimeMs, 'expected a time such as 500ms, 30s or 1h, at least 1');
timeMs.register(fileForms, { type: 'string', pattern: '^[1-9]\\d*(us|ms|s|m|h|d)?$' });

/** ADDRESS:PORT, or `:PORT` for all addresses, as in Go. */
export const pageAddress = parsedBy((text) => {
  const found = listenAddress.safeParse(text.replace(/^:(?=\d)/, '0.0.0.0:'));
  return found.success ? found.data : undefined;
}, 'expected ADDRESS:PORT, such as 127.0.0.1:1936, or :1936 for all addresses');

/** A URL on this machine, by address, so that it does not depend on DNS. */
export const httpUrl = parsedBy((text) => {
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'http:') return undefined;
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0
    ? undefined
    : { host, port: Number(url.port || 80), path: `${url.pathname}${url.search}` };
}, 'expected http://ADDRESS:PORT/PATH, with an address or localhost');

const tlsVersions = ['TLSv1.0', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export const tlsVersion = oneOf(tlsVersions);

/** A version in HAProxy's or in Go's spelling: `VersionTLS12`. */
export const eitherTlsVersion = parsedBy((text): (typeof tlsVersions)[number] | undefined => {
  const [, minor] = /^(?:TLSv1\.|VersionTLS1)([0-3])$/.exec(text.trim()) ?? [];
  return tlsVersions[Number(minor)];
}, 'expected TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3');
eitherTlsVersion.register(fileForms, { type: 'string', enum: [...tlsVersions] });

/** Column numbers of HAProxy's statistics, separated by commas. */
export const columnNumbers = parsedBy((text): readonly number[] | undefined => {
  const found = parts(text);
  return found.every((part) => /^\d{1,3}$/.test(part)) ? found.map(Number) : undefined;
}, 'expected numbers, separated by commas');

/** A domain, converted to lower case and without a leading dot. */
export const domainName = parsedBy((text) => {
  const name = text.trim().replace(/^\./, '').toLowerCase();
  return isHostName(name) ? name : undefined;
}, 'expected a domain such as apps.example.com');

/** `10.0.0.0/8`, or one address, in canonical form. */
export const network = parsedBy((text) => {
  const [address = '', length, ...rest] = text.trim().split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || rest.length > 0) return undefined;
  const most = parsed.family === 'ipv4' ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > most)) return undefined;
  return `${parsed.text}/${Number(length ?? most)}`;
}, 'expected an address or a network such as 10.0.0.0/8');

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

export interface Capture {
  readonly name: string;
  readonly length: number;
}

/** `Name:LENGTH`, separated by commas. */
export const captures = parsedBy((text): readonly Capture[] | undefined => {
  const found = parts(text).map((part) => {
    const [, name = '', length] = /^([^:]+):(\d{1,5})$/.exec(part) ?? [];
    return { name, length: Number(length) };
  });
  const isRight = ({ name, length }: Capture) => token.test(name) && length >= 1 && length <= 65_535;
  return found.every(isRight) ? found : undefined;
}, 'expected NAME:LENGTH of headers, separated by commas');

/** `name:LENGTH` matches all cookies with this prefix, `name=:LENGTH` only the cookie with this name. */
export const cookieCapture = parsedBy((text): Capture | undefined => {
  const [, name, length] = /^([A-Za-z0-9_.-]+=?):(\d{1,5})$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, length: Number(length) };
}, 'expected NAME:LENGTH, or NAME=:LENGTH for the cookie with exactly this name');

export const headerNames = parsedBy((text): readonly string[] | undefined => {
  const found = parts(text);
  return found.every((name) => token.test(name)) ? found : undefined;
}, 'expected header names, separated by commas');

type GlobalHeader =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'delete'; readonly name: string };

/** `NAME:VALUE:Set` and `NAME:Delete`, separated by commas. Each part is URL-encoded. */
export const headerActions = parsedBy((text): readonly GlobalHeader[] | undefined => {
  const found = parts(text).map((part): GlobalHeader | undefined => {
    const [name = '', ...rest] = part.split(':').map(decoded);
    if (!token.test(name)) return undefined;
    const [first = '', action = first] = rest;
    if (rest.length === 1 && action === 'Delete') return { kind: 'delete', name };
    const isRight = rest.length === 2 && action === 'Set' && isPrintable(first);
    return isRight ? { kind: 'set', name, value: first } : undefined;
  });
  const actions = found.filter((each) => each !== undefined);
  return actions.length === found.length ? actions : undefined;
}, 'expected NAME:VALUE:Set or NAME:Delete, separated by commas and encoded as in a URL');

/** Words, separated by spaces or commas. */
export const words = parsedBy((text): readonly string[] | undefined => {
  const found = text.split(/[\s,]+/).filter((each) => each !== '');
  return found.length > 0 && found.every((each) => word.safeParse(each).success) ? found : undefined;
}, 'expected words, separated by spaces or commas');

/** `true` in a file, and the words that Go parses as a boolean in a variable. */
export const truth = z
  .union(
    [
      z.boolean(),
      parsedBy((text) => {
        if (/^(?:1|t|true)$/i.test(text.trim())) return true;
        return /^(?:0|f|false)$/i.test(text.trim()) ? false : undefined;
      }, ''),
    ],
    { error: 'expected true or false' },
  )
  .register(fileForms, { type: 'boolean' });

/** A path that is one word of HAProxy's configuration. */
export const wordPath = absolutePath.check(
  z.refine((path) => !/[\s"'\\#$]/.test(path), {
    error: 'expected a path without spaces, quotes, \\, # and $',
  }),
);

/** One line of text. */
export const printable = z.string().check(z.refine(isPrintable, { error: 'expected one line of text' }));

/** A word without spaces, quotes and other characters with a meaning in HAProxy's configuration. */
export const word = z
  .string()
  .check(z.regex(/^[A-Za-z0-9._:/@%+,=~![\]-]+$/, { error: 'expected a word without spaces and quotes' }));

function isPrintable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
  return !/[\u0000-\u001f\u007f]/.test(text);
}

function parts(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '\0';
  }
}
