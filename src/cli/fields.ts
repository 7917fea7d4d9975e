import * as z from 'zod/mini';
import { parseHostPort } from '../engine/system/network/address-text.ts';
import { parseAddress } from '../engine/system/network/node-address.ts';
import { fileForms, listOf, parsedBy } from './make-field.ts';

/** The kernel's limit for a unix socket path, minus the suffix of our temporary names. */
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

const digits = z.string().check(z.regex(/^\d{1,9}$/, { error: 'expected a whole number' }));

export const port = z.pipe(
  digits,
  z.pipe(
    z.transform(Number),
    z
      .number()
      .check(
        z.minimum(1, { error: 'expected 1 to 65535' }),
        z.maximum(65_535, { error: 'expected 1 to 65535' }),
      ),
  ),
);
port.register(fileForms, { type: 'integer', minimum: 1, maximum: 65_535 });

/** `127.0.0.1:29446` or `[::1]:29446`: a host and a port. */
export const listenAddress = parsedBy(parseHostPort, 'expected ADDRESS:PORT, such as 127.0.0.1:29446');

/** A host and a port, or "off". */
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

/** An address in its canonical form. */
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
export const serverList = z.string();
serverList.register(fileForms, { type: ['array', 'string'], items: { type: 'string' } });

/** One of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const last = words.at(-1) ?? '';
  return z.enum(words, { error: `expected ${words.slice(0, -1).join(', ')} or ${last}` });
}

/** Such as the name of a node. */
export const nonEmpty = z.string().check(z.minLength(1, { error: 'expected a name' }));

export const directories = listOf(z.string(), 'expected a directory');
