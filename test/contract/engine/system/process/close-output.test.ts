import { expect, test } from 'vitest';
import { runCommand } from '../../../../../src/engine/system/process/run-command.ts';
import { runLeanCommand } from '../../../../../src/engine/system/process/run-lean-command.ts';

const runners = [
  ['runCommand', runCommand],
  ['runLeanCommand', runLeanCommand],
] as const;
/** Longer than a test may take. */
const timeoutMs = 600_000;
/** Keeps the output of the program open, and says which process it is. */
const leave = 'sleep 600 & echo $!';

function endWhatWasLeft(stdout: string): void {
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  process.kill(pid);
}

test.each(runners)('%s waits for nothing that a program left in the background', async (_name, run) => {
  const { exitCode, stdout } = await run(['sh', '-c', `${leave}; exit 3`], { timeoutMs });
  endWhatWasLeft(stdout);
  expect(exitCode).toBe(3);
});

test.each(runners)('%s gives a program up in time, whatever it started', async (_name, run) => {
  const { timedOut, stdout } = await run(['sh', '-c', `${leave}; wait`], { timeoutMs: 2_000 });
  endWhatWasLeft(stdout);
  expect(timedOut).toBe(true);
});

test.each(runners)('%s says of a program that is missing that it is', async (_name, run) => {
  await expect(run(['/nonexistent/program'], { timeoutMs })).rejects.toThrow('ENOENT');
});
