import { expect, test } from 'vitest';
import { runCommand } from '../../../../../src/engine/system/process/run-command.ts';
import { runLeanCommand } from '../../../../../src/engine/system/process/run-lean-command.ts';

const runners = [
  ['runCommand', runCommand],
  ['runLeanCommand', runLeanCommand],
] as const;
/** Longer than the timeout of a test. */
const timeoutMs = 600_000;
/** Keeps the program's output open, and prints its own pid. */
const leave = 'sleep 600 & echo $!';

function endWhatWasLeft(stdout: string): void {
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  process.kill(pid);
}

test.each(runners)("%s does not wait for a program's background processes", async (_name, run) => {
  const { exitCode, stdout } = await run(['sh', '-c', `${leave}; exit 3`], { timeoutMs });
  endWhatWasLeft(stdout);
  expect(exitCode).toBe(3);
});

test.each(runners)('%s ends at its timeout, whatever the program started', async (_name, run) => {
  const { timedOut, stdout } = await run(['sh', '-c', `${leave}; wait`], { timeoutMs: 2_000 });
  endWhatWasLeft(stdout);
  expect(timedOut).toBe(true);
});

test.each(runners)('%s reports a missing program', async (_name, run) => {
  await expect(run(['/nonexistent/program'], { timeoutMs })).rejects.toThrow('ENOENT');
});
