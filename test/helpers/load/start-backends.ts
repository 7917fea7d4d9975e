import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { waitFor } from '../wait-for.ts';
import type { Backend } from './backend-server.ts';
import { readJsonLines } from './json-lines.ts';

export interface Backends extends AsyncDisposable {
  readonly pid: number;
  /** How many connections to it have ended without sending a byte: the supervisor's probes. */
  silent(name: string): number;
  /** Resolves once its port refuses connections. */
  stop(name: string): Promise<void>;
  /** Resolves once its port accepts connections. */
  start(name: string): Promise<void>;
}

const program = fileURLToPath(new URL('serve-backends.ts', import.meta.url));
const doneSchema = z.object({ done: z.enum(['start', 'stop', 'silent']), name: z.string() });

/** Serves the backends from a separate process behind `prefix` (a namespace's); resolves once all listen. */
export async function startBackends(
  prefix: readonly [string, ...string[]],
  backends: readonly Backend[],
  identity: { readonly cert: string; readonly key: string },
): Promise<Backends> {
  const plan = JSON.stringify({ backends, cert: identity.cert, key: identity.key });
  const [file, ...before] = prefix;
  const child = spawn(file, [...before, process.execPath, program, plan], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'close');
  const done: z.infer<typeof doneSchema>[] = [];
  readJsonLines(child.stdout, (value) => done.push(doneSchema.parse(value)));
  const pid = child.pid;
  if (pid === undefined) throw new Error(`Cannot start the backends "${prefix.join(' ')}": no process`);
  const count = (what: z.infer<typeof doneSchema>['done'], name: string) =>
    done.filter((each) => each.done === what && each.name === name).length;
  const order = async (what: 'start' | 'stop', name: string) => {
    const before = count(what, name);
    child.stdin.write(`${what} ${name}\n`);
    await waitFor(`backend ${name} to ${what}`, () => count(what, name) > before);
  };
  await waitFor('the backends to listen', () => backends.every(({ name }) => count('start', name) > 0));
  return {
    pid,
    silent: (name) => count('silent', name),
    stop: (name) => order('stop', name),
    start: (name) => order('start', name),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
