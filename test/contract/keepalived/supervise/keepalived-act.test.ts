import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { readProcess } from '../../../../src/engine/system/process/processes.ts';
import { act, type Effects } from '../../../../src/keepalived/supervise/act.ts';
import type { Event } from '../../../../src/keepalived/supervise/state.ts';

/** A kill needs no other effect. */
function killing(events: Event[]): Effects {
  return { dispatch: (event: Event) => events.push(event) } as Partial<Effects> as Effects;
}

test('a kill is reported only if a process was alive', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const id = readProcess(child.pid ?? 0)?.id;
  if (id === undefined) throw new Error('it does not run');
  const events: Event[] = [];
  await act({ kind: 'kill', id }, killing(events));
  expect(events).toEqual([{ kind: 'killed', id }]);
  expect(await ended).toEqual([null, 'SIGKILL']);
  await act({ kind: 'kill', id }, killing(events));
  expect(events).toHaveLength(1);
});
