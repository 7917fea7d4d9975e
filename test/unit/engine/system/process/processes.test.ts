import { expect, test } from 'vitest';
import { isAlive, isStopped, readProcess } from '../../../../../src/engine/system/process/processes.ts';

test('a running process is alive and not stopped; another one with its pid is not alive', () => {
  const own = readProcess(process.pid)?.id ?? { pid: 0, startTicks: 0 };
  expect([isAlive(own), isStopped(own)]).toEqual([true, false]);
  expect(isAlive({ ...own, startTicks: own.startTicks + 1 })).toBe(false);
});
