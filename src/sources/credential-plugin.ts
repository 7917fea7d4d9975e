import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { messageOf } from '../model/errors.ts';

/** What a plugin gave, until it expires. */
export interface Credential {
  readonly token?: string | undefined;
  readonly clientCertificateData?: string | undefined;
  readonly clientKeyData?: string | undefined;
}

/** The program that a kubeconfig names under `exec` (client.authentication.k8s.io). */
export interface CredentialPlugin {
  /**
   * The credential that is still valid, or what the program says now. It runs once at a time, whatever asks, and is killed
   * with its children after `timeoutMs`. A failure is the answer for a second, so that one round of requests runs it once.
   */
  readonly credential: () => Promise<Credential>;
  /** Kills the program where it runs; it is not run again. */
  readonly close: () => void;
}

const execSchema = z.looseObject({
  command: z.string().check(z.minLength(1)),
  args: z.nullish(z.array(z.string())),
  env: z.nullish(z.array(z.looseObject({ name: z.string(), value: z.string() }))),
});
const answerSchema = z.looseObject({
  status: z.looseObject({
    token: z.optional(z.string()),
    clientCertificateData: z.optional(z.string()),
    clientKeyData: z.optional(z.string()),
    expirationTimestamp: z.optional(z.string()),
  }),
});
type Answer = z.infer<typeof answerSchema>['status'];

const FAILED_FOR_MS = 1_000;
/** For what a program that has ended wrote last. */
const OUTPUT_WITHIN_MS = 500;
const MAX_CHARACTERS = 1_000_000;

/** `exec` as the kubeconfig has it; throws where that names no command. */
export function createCredentialPlugin(
  exec: unknown,
  options: { readonly timeoutMs: number },
): CredentialPlugin {
  const parsed = execSchema.safeParse(exec);
  if (!parsed.success) throw new Error('its credential plugin has no command');
  const { command, args, env } = parsed.data;
  const environment = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  let valid: Answer | undefined;
  let running: { readonly answer: Promise<Credential>; readonly kill: () => void } | undefined;
  let isClosed = false;

  const run = () => {
    // A group of its own: a script that is killed alone leaves what it waits for behind.
    const child = spawn(command, args ?? [], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    const kill = () => killGroup(child);
    const answer = answerOf(child, { command, ...options, kill });
    const forget = () => {
      running = undefined;
    };
    answer.then(
      (given) => {
        valid = given;
        forget();
      },
      () => setTimeout(forget, FAILED_FOR_MS).unref(),
    );
    return { answer, kill };
  };
  return {
    credential: async () => {
      if (isClosed) throw new Error(`credential plugin "${command}" is not run any more`);
      if (valid !== undefined && !isExpired(valid)) return valid;
      running ??= run();
      return await running.answer;
    },
    close: () => {
      isClosed = true;
      running?.kill();
    },
  };
}

function isExpired({ expirationTimestamp }: Answer): boolean {
  return expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= Date.now();
}

type Plugin = ChildProcessByStdio<null, Readable, Readable>;

/** Settles when the program has ended, even where a child of its own still holds its output. */
function answerOf(
  child: Plugin,
  { command, timeoutMs, kill }: { command: string; timeoutMs: number; kill: () => void },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let [output, errors, isLate] = ['', '', false];
    const fail = (found: string) => reject(new Error(`Cannot use credential plugin "${command}": ${found}`));
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MAX_CHARACTERS) kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(0, MAX_CHARACTERS);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      fail(messageOf(error));
    });
    const finish = () => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      const { exitCode, signalCode } = child;
      if (isLate) fail(`it did not end within ${timeoutMs} ms and was killed`);
      else if (exitCode !== 0)
        fail(`it ended with ${exitCode ?? signalCode}: ${errors.trim().slice(0, 300)}`);
      else settle(output);
    };
    child.once('close', finish);
    child.once('exit', () => {
      clearTimeout(timer);
      setTimeout(finish, OUTPUT_WITHIN_MS).unref();
    });
    const settle = (text: string) => {
      try {
        resolve(answerSchema.parse(JSON.parse(text)).status);
      } catch {
        fail('its output is no ExecCredential with a status');
      }
    };
  });
}

/** Only a group that this process made: its leader keeps the number until it has been waited for. */
function killGroup({ pid, exitCode, signalCode }: Plugin): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}
