import * as z from 'zod/mini';
import type { Immutable } from '../system/immutable.ts';
import { hostPort } from '../system/network/address-text.ts';
import { type AskOptions, askPageEitherWay, type PageAddress } from '../system/network/ask-page.ts';
import { parseJson } from '../system/text/parse-json.ts';

/** Whether a program answered. */
export const programState = {
  state: z.enum(['answers', 'silent', 'not-asked']),
  /** The address of its page: `127.0.0.1:29446`. */
  address: z.nullable(z.string()),
  problem: z.nullable(z.string()),
};

const programStateSchema = z.object(programState);

export interface ProgramState<Name extends string> extends Immutable<z.infer<typeof programStateSchema>> {
  readonly name: Name;
}

/** A program's status, and whether it answered. */
export interface ProgramAnswer<Name extends string, T> {
  readonly program: ProgramState<Name>;
  readonly status: T | null;
  /** Whether it runs: it answers, or accepts connections and hangs. An answer of another program does not count. */
  readonly isThere: boolean;
}

/** Requests a program's status from its page. `page` is undefined if it has none. Never rejects. */
export async function askProgram<Name extends string, T>(
  name: Name,
  page: PageAddress | undefined,
  schema: z.ZodMiniType<T>,
  options: AskOptions,
): Promise<ProgramAnswer<Name, T>> {
  if (page === undefined) {
    const problem = 'its --listen is off';
    return { program: { name, state: 'not-asked', address: null, problem }, status: null, isThere: false };
  }
  const reached = reachable(page);
  const address = hostPort(reached);
  const silent = (problem: string, isThere: boolean): ProgramAnswer<Name, T> => ({
    program: { name, state: 'silent', address, problem },
    ...{ status: null, isThere },
  });
  const answer = await askPageEitherWay(reached, '/status', options);
  if (answer.kind === 'silent') return silent(answer.message, answer.isTaken);
  const status = answer.status === 200 ? schema.safeParse(parseJson(answer.text)).data : undefined;
  if (status === undefined) return silent(`HTTP ${answer.status}, and no status of this program`, false);
  return { program: { name, state: 'answers', address, problem: null }, status, isThere: true };
}

/** Loopback for a program that listens on all addresses. */
export function reachable({ host, port }: PageAddress): PageAddress {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: host === '::' ? '::1' : host, port };
}
