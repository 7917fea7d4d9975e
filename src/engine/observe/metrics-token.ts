import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { isSameCredential, parseAuthorization, readCredential } from './credential.ts';

/** Anybody on the node could send it. */
const READABLE_FOR_ALL = 0o004;

/** The bearer token of a page. */
export interface MetricsToken {
  /** Whether this `Authorization` header carries it. The file is read each time: a new token holds at once. */
  readonly admits: (authorization: string) => Promise<boolean>;
}

/**
 * Rejects with what is wrong with the file, and what would be right. A file that becomes unusable later is logged once, and the last
 * good token stays.
 */
export async function openMetricsToken(path: string, log: Log): Promise<MetricsToken> {
  let token = await readToken(path);
  let reported: string | undefined;
  const judge = (trouble: string | undefined): void => {
    if (trouble !== undefined && trouble !== reported)
      log({
        event: 'metrics-token-unusable',
        level: 'error',
        message: trouble,
        effect: 'the last one stays',
      });
    if (trouble === undefined && reported !== undefined) log({ event: 'metrics-token-usable', path });
    reported = trouble;
  };
  return {
    admits: async (authorization) => {
      try {
        token = await readToken(path);
        judge(undefined);
      } catch (error) {
        judge(messageOf(error));
      }
      const { scheme, credentials } = parseAuthorization(authorization);
      return scheme === 'bearer' && isSameCredential(credentials, token);
    },
  };
}

async function readToken(path: string): Promise<string> {
  const { text, mode } = await readCredential(path).catch((error: unknown) => {
    throw unusable(path, messageOf(error), 'a file that this container sees and can read');
  });
  if ((mode & READABLE_FOR_ALL) !== 0)
    throw unusable(path, `it is world-readable (mode ${(mode & 0o777).toString(8)})`, 'mode 600');
  if (text === '') throw unusable(path, 'it is empty', 'a token');
  if (/\s/.test(text)) throw unusable(path, 'its token contains white space', 'a single word');
  return text;
}

function unusable(path: string, found: string, expected: string): Error {
  return new Error(`Cannot use --metrics-token-file "${path}": ${found}, expected ${expected}`);
}
