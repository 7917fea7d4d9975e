import { codeOf, messageOf } from '../model/errors.ts';
import { type CommandResult, runCommand } from '../system/run-command.ts';

export type CheckOutcome =
  | { readonly kind: 'valid' }
  /** HAProxy read the file and would not start with it. `detail` holds its own last words. */
  | { readonly kind: 'invalid'; readonly message: string; readonly detail: string }
  /** Nothing is known about the file: HAProxy could not be run, or was not done in time. */
  | { readonly kind: 'impossible'; readonly message: string };

/** HAProxy names every error of a file; the last ones and the summary fit into this. */
const DETAIL_CHARACTERS = 4_000;

/**
 * What the real HAProxy says about a file (`haproxy -c -f FILE`). It looks at syntax, limits and addresses, and does
 * not bind: a port that is taken shows only when it is started. Rejects only when `signal` stops it.
 */
export async function checkConfiguration(
  path: string,
  options: { readonly haproxyPath: string; readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<CheckOutcome> {
  const { haproxyPath, ...limits } = options;
  let result: CommandResult;
  try {
    result = await runCommand([haproxyPath, '-c', '-f', path], limits);
  } catch (error) {
    options.signal?.throwIfAborted();
    return impossible(path, `"${haproxyPath}" cannot be run (${codeOf(error) ?? messageOf(error)})`);
  }
  options.signal?.throwIfAborted();
  if (result.timedOut) return impossible(path, `"${haproxyPath}" was not done after ${limits.timeoutMs} ms`);
  if (result.exitCode === 0) return { kind: 'valid' };
  if (result.exitCode === undefined)
    return impossible(path, `"${haproxyPath}" was ended by ${result.signal ?? 'a signal'}`);
  const detail = result.stderr.trim().slice(-DETAIL_CHARACTERS);
  return {
    kind: 'invalid',
    message: `Cannot use configuration "${path}": HAProxy refuses it, expected "Configuration file is valid"`,
    detail,
  };
}

function impossible(path: string, what: string): CheckOutcome {
  return {
    kind: 'impossible',
    message: `Cannot check configuration "${path}": ${what}, expected its verdict`,
  };
}
