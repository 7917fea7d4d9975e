import { access, constants } from 'node:fs/promises';
import type { ProxyClient, ReloadResult } from '../../engine/config/proxy.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { RunCommand } from '../../engine/system/process/run-command.ts';
import { environmentForChildren } from '../../engine/system/process/spawn-daemon.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';

interface ReloadScript {
  readonly path: string;
  /** The main file, which is the script's only argument. */
  readonly config: string;
  readonly timeoutMs: number;
  readonly run: RunCommand;
}

/** How much of the script's output is kept. */
const DETAIL_CHARACTERS = 4_000;

/**
 * Reloads with an administrator's script in place of the supervisor. The script starts and reloads HAProxy itself, and exits with 0 once the file is
 * served. There are no runtime updates. A new monitor process cannot read what is running, so it calls the script once.
 */
export function reloadByScript(script: ReloadScript): ProxyClient {
  const reload = async (signal: AbortSignal): Promise<ReloadResult> => {
    const { path, config, timeoutMs, run } = script;
    const because = (what: string): string =>
      `Cannot reload HAProxy by "${path}": ${what}, expected exit code 0`;
    const startMs = monotonicMs();
    try {
      const ended = await run([path, config], { timeoutMs, signal, env: environmentForChildren() });
      const { exitCode, signal: endedBy, timedOut, stdout, stderr } = ended;
      signal.throwIfAborted();
      if (timedOut) return { is: 'silent', message: because(`not done after ${timeoutMs} ms`) };
      if (exitCode === 0) return { is: 'done', outcome: { tookMs: monotonicMs() - startMs } };
      const how = exitCode === undefined ? `ended by ${endedBy ?? 'a signal'}` : `exit code ${exitCode}`;
      const detail = `${stdout}${stderr}`.trim().slice(-DETAIL_CHARACTERS);
      return { is: 'refused', rejection: { kind: 'rejected', by: 'reload', message: because(how), detail } };
    } catch (error) {
      signal.throwIfAborted();
      return { is: 'silent', message: because(codeOf(error) ?? messageOf(error)) };
    }
  };
  return {
    reload,
    makesChanges: false,
    apply: async () => ({ is: 'refused' }),
    running: async () => undefined,
    keepAsGood: async () => undefined,
  };
}

/** Why the script cannot be run; undefined if it can. */
export async function scriptProblem(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return `Cannot run RELOAD_SCRIPT "${path}": ${codeOf(error) ?? messageOf(error)}, expected a program`;
  }
}
