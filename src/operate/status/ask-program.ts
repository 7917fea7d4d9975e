import type * as z from 'zod/mini';
import { askPage, type PageAddress } from '../../engine/system/network/ask-page.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { NodeStatus } from './node-status.ts';

export type ProgramName = NodeStatus['programs'][number]['name'];

/** What one of the four programs says of itself, and whether it said anything. */
export interface ProgramAnswer<T> {
  readonly program: NodeStatus['programs'][number];
  readonly status: T | null;
}

/** Asks one program's page for its status. `page` is undefined where it serves none. Never rejects. */
export async function askProgram<T>(
  name: ProgramName,
  page: PageAddress | undefined,
  schema: z.ZodMiniType<T>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ProgramAnswer<T>> {
  if (page === undefined) {
    const problem = 'its --listen is off';
    return { program: { name, state: 'not-asked', address: null, problem }, status: null };
  }
  const reached = reachable(page);
  const address = addressText(reached);
  const silent = (problem: string): ProgramAnswer<T> => ({
    program: { name, state: 'silent', address, problem },
    status: null,
  });
  const answer = await askPage(reached, '/status', options);
  if (answer.kind === 'silent') return silent(answer.message);
  const status = answer.status === 200 ? schema.safeParse(parseJson(answer.text)).data : undefined;
  if (status === undefined) return silent(`HTTP ${answer.status}, and no status of this program`);
  return { program: { name, state: 'answers', address, problem: null }, status };
}

/** A program that listens on all addresses is asked on loopback. */
function reachable({ host, port }: PageAddress): PageAddress {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: host === '::' ? '::1' : host, port };
}

/** As a URL has it. */
export function addressText({ host, port }: PageAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
