import { expect, test } from 'vitest';
import { runLeanCommand } from '../../../../../src/engine/system/process/run-lean-command.ts';

const timeoutMs = 10_000;

test.each([0, 1, 3])('exit code %i is a value, with the output', async (exitCode) => {
  const result = await runLeanCommand(['sh', '-c', `echo out; echo err >&2; exit ${exitCode}`], {
    timeoutMs,
  });
  expect(result).toEqual({ exitCode, signal: undefined, stdout: 'out\n', stderr: 'err\n', timedOut: false });
});

test('the error for a missing program names it', async () => {
  const running = runLeanCommand(['/nonexistent/program'], { timeoutMs });
  await expect(running).rejects.toThrow('/nonexistent/program ENOENT');
});

test('a program that does not end is killed, even if it ignores SIGTERM', async () => {
  const argv = ['sh', '-c', 'trap "" TERM; echo busy >&2; exec sleep 600'] as const;
  expect(await runLeanCommand(argv, { timeoutMs: 2_000 })).toEqual({
    exitCode: undefined,
    signal: 'SIGKILL',
    stdout: '',
    stderr: 'busy\n',
    timedOut: true,
  });
});

test('a program with too much output is not reported as a timeout', async () => {
  await expect(runLeanCommand(['sh', '-c', 'yes'], { timeoutMs })).rejects.toThrow('maxBuffer');
});

test('a signal is reported, and is not a timeout', async () => {
  const result = await runLeanCommand(['sh', '-c', 'kill -TERM $$'], { timeoutMs });
  expect(result).toMatchObject({ exitCode: undefined, signal: 'SIGTERM', timedOut: false });
});

test('a program reads the given input, or an empty one', async () => {
  expect(await runLeanCommand(['cat'], { timeoutMs, input: 'a\nb' })).toMatchObject({ stdout: 'a\nb' });
  expect(await runLeanCommand(['cat'], { timeoutMs })).toMatchObject({ exitCode: 0, stdout: '' });
  const input = 'x'.repeat(1_000_000);
  expect(await runLeanCommand(['true'], { timeoutMs, input })).toMatchObject({ exitCode: 0 });
});

test('a program with a niceness runs at that priority', async () => {
  const argv = ['sh', '-c', 'cat; cut -d" " -f19 /proc/self/stat'] as const;
  expect((await runLeanCommand(argv, { timeoutMs, niceness: 7 })).stdout).toBe('7\n');
});
