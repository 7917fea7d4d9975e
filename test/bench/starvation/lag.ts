import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';

const lagSchema = z.object({ p50: z.number(), p99: z.number(), p999: z.number(), max: z.number() });
/** How late a process was woken, in milliseconds. */
export type Lag = z.infer<typeof lagSchema>;

export interface LagProbe extends AsyncDisposable {
  /** Ends the measurement. */
  finish(): Promise<Lag>;
}

const program = fileURLToPath(new URL('lag-probe.ts', import.meta.url));

/** A process that only waits, started behind `prefix`: what the starvation is like for its like. */
export function startLagProbe(prefix: readonly string[]): LagProbe {
  const [file = '', ...args] = [...prefix, process.execPath, program];
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    child.stdin.end();
    await closed;
  };
  return {
    finish: async () => {
      await end();
      return lagSchema.parse(JSON.parse(text));
    },
    [Symbol.asyncDispose]: end,
  };
}
