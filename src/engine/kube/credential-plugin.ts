import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { messageOf } from '../system/errors.ts';
import { parseJson } from '../system/text/parse-json.ts';
import { withoutSecrets } from '../system/text/without-secrets.ts';

/** A plugin's output, until it expires. */
export interface Credential {
  readonly token?: string | undefined;
  readonly clientCertificateData?: string | undefined;
  readonly clientKeyData?: string | undefined;
}

/** The program that a kubeconfig names under `exec` (client.authentication.k8s.io). */
export interface CredentialPlugin {
  /**
   * The current credential if it is still valid, else a new one. The program runs at most once at a time, and is killed
   * with its children after `timeoutMs`. A failure is kept for a second, so that one round of requests runs the program
   * once.
   */
  readonly credential: () => Promise<Credential>;
  /** Kills a running program; it is not started again. */
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
    /** One that cannot be read would never expire. */
    expirationTimestamp: z.optional(z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))))),
  }),
});
type Answer = z.infer<typeof answerSchema>['status'];

const FAILED_FOR_MS = 1_000;
/** The time to read the last output of a program that has ended. */
const OUTPUT_WITHIN_MS = 500;
const MAX_CHARACTERS = 1_000_000;
const MAX_SAID = 10_000;

/** `exec` is the kubeconfig's section. Throws if it names no command. */
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
    // A process group of its own: killing only a script would leave its children running.
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

/** Settles when the program has ended, even if a child of it still holds its output open. */
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
      // One that cannot be killed, on a dead mount, does not end either.
      setTimeout(finish, OUTPUT_WITHIN_MS).unref();
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
      else if (exitCode !== 0) fail(`it ended with ${exitCode ?? signalCode}: ${saidIn(errors)}`);
      else settle(output);
    };
    child.once('close', finish);
    child.once('exit', () => {
      clearTimeout(timer);
      setTimeout(finish, OUTPUT_WITHIN_MS).unref();
    });
    const settle = (text: string) => {
      const answer = answerSchema.safeParse(parseJson(text)).data;
      if (answer === undefined) fail('its output is no ExecCredential with a status');
      else resolve(answer.status);
    };
  });
}

/** Some plugins print the token that was refused. Hidden before it is cut, since a part of a secret may look like none. */
function saidIn(errors: string): string {
  return withoutSecrets(errors.slice(0, MAX_SAID).trim()).slice(0, 300);
}

/** Kills only a group that this process made: its leader's pid is not reused before it has been waited for. */
function killGroup({ pid, exitCode, signalCode }: Plugin): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has just ended.
  }
}
