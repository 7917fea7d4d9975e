import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { entrySchema, type HistoryWriter } from './history.ts';

/** Runs a program that prints history lines and exits at the end of its input. */
export function recordProgram(
  [file, ...argv]: readonly [string, ...string[]],
  { write }: HistoryWriter,
): AsyncDisposable {
  const child = spawn(file, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  child.stdin.on('error', () => {});
  readJsonLines(child.stdout, (value) => write(entrySchema.parse(value)));
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
