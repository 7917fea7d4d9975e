import { get } from 'node:http';
import { silenceOf } from './ask-health.ts';

export interface PageAddress {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export type PageAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** Nobody listens, or not all of the answer came in time. */
  | { readonly kind: 'silent'; readonly message: string };

/** Far above any status or statistics of a control plane. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** What a page says, over a connection of its own. Never rejects. */
export function askPage(
  { host, port }: PageAddress,
  path: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<PageAnswer> {
  return new Promise((resolve) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const fail = (error: unknown): void =>
      resolve({ kind: 'silent', message: silenceOf(error, timeout, timeoutMs) });
    const question = get({ host, port, path, agent: false, signal: bounded }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_CHARACTERS) answer.destroy(new Error('the answer has no end'));
      });
      answer.once('error', fail);
      answer.once('end', () => resolve({ kind: 'answered', status: answer.statusCode ?? 0, text }));
    });
    question.once('error', fail);
  });
}
