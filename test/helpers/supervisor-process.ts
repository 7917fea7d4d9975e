import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  type SupervisorStatus,
  supervisorStatusSchema,
} from '../../src/haproxy/supervise/supervisor-status.ts';
import { endOf, startLogged } from './child.ts';
import { askRaw } from './supervisor-ask.ts';
import { hawser } from './supervisor-build.ts';
import { waitFor } from './wait-for.ts';

const answerSchema = z.looseObject({
  ok: z.boolean(),
  generation: z.optional(z.number()),
  pid: z.optional(z.number()),
  stage: z.optional(z.string()),
  message: z.optional(z.string()),
  detail: z.optional(z.string()),
});
export type ReloadAnswer = z.infer<typeof answerSchema>;

const logLineSchema = z.looseObject({ event: z.string(), level: z.string() });
export type LogLine = z.infer<typeof logLineSchema>;

export interface SupervisorProcess {
  readonly pid: number;
  /** Resolves with the exit code or the signal's name. */
  readonly ended: Promise<number | string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ask: (line: string) => Promise<ReloadAnswer>;
  readonly reload: () => Promise<ReloadAnswer>;
  readonly status: () => Promise<SupervisorStatus>;
  /** Resolves once a generation serves; `after` asks for one with a higher number. */
  readonly waitForServing: (after?: number) => Promise<NonNullable<SupervisorStatus['current']>>;
}

/** Runs `hawser haproxy supervise` behind `prefix` (a namespace's), and appends its output to `logPath`. */
export function startSupervisor(
  prefix: readonly [string, ...string[]],
  flags: readonly string[],
  where: { readonly socket: string; readonly logPath: string },
  env: NodeJS.ProcessEnv = {},
): SupervisorProcess {
  const child = startLogged([...prefix, hawser, 'haproxy', 'supervise', ...flags], where.logPath, env);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`Cannot start "${hawser}": no process`);
  const ask = async (line: string): Promise<ReloadAnswer> => {
    const [answer] = await askRaw(where.socket, `${line}\n`);
    return answerSchema.parse(answer);
  };
  const status = async (): Promise<SupervisorStatus> => supervisorStatusSchema.parse(await ask('status'));
  return {
    pid,
    ended: endOf(child),
    kill: (signal) => void child.kill(signal),
    ask,
    reload: () => ask('reload'),
    status,
    waitForServing: (after = 0) =>
      waitFor(`a generation after ${after} to serve`, async () => {
        if (!existsSync(where.socket)) return undefined;
        const { current } = await status();
        return current !== null && current.generation > after ? current : undefined;
      }),
  };
}

/** The supervisor's own events in a log that it shares with HAProxy's output, without a line still being written. */
export function readLogEvents(logPath: string): readonly LogLine[] {
  if (!existsSync(logPath)) return [];
  return readFileSync(logPath, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"'))
    .map((line) => logLineSchema.parse(JSON.parse(line)));
}
