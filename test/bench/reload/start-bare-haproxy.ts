import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { configurationTexts } from './configuration.ts';
import { hostPaths } from './layout.ts';
import { temporaryFolder } from './temporary-folder.ts';

const timesSchema = z.object({ checkMs: z.number(), startMs: z.number() });
export type BareTimes = z.infer<typeof timesSchema>;

export interface BareHaproxy extends AsyncDisposable {
  /** Times one `haproxy -c` and one start of HAProxy without a supervisor. */
  measure(): Promise<BareTimes>;
}

const program = fileURLToPath(new URL('bare-haproxy.ts', import.meta.url));

/** Runs in its own network namespace with the same file as the subjects, except for the folder of its sockets. */
export async function startBareHaproxy(): Promise<BareHaproxy> {
  await using stack = new AsyncDisposableStack();
  const paths = hostPaths(temporaryFolder(stack));
  writeFileSync(paths.config, configurationTexts('template', paths)(0));
  const [file, ...before] = stack.use(await createNetNamespace()).prefix;
  const child = spawn(file, [...before, process.execPath, program, paths.config, paths.pidFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'close');
  stack.defer(async () => {
    child.stdin.end();
    await exited;
  });
  const times: BareTimes[] = [];
  readJsonLines(child.stdout, (value) => times.push(timesSchema.parse(value)));
  const kept = stack.move();
  return {
    measure: async () => {
      const before = times.length;
      child.stdin.write('measure\n');
      return await waitFor('a bare HAProxy to be measured', () => times[before], 30_000);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
