import { expect, test } from 'vitest';
import { readProcess } from '../../../../src/engine/system/process/processes.ts';
import type { ProxyDriver, RunningGeneration } from '../../../../src/haproxy/program.ts';
import { adopt } from '../../../../src/haproxy/supervise/left-over.ts';
import type { GenerationsRecord } from '../../../../src/haproxy/supervise/record.ts';
import { createMachine } from '../../../helpers/supervisor-model.ts';

/** Two live processes related to this test, and a dead one. */
const [one, other] = [process.pid, process.ppid].map((pid) => readProcess(pid)?.id ?? { pid, startTicks: 0 });
const gone = { pid: process.pid, startTicks: 1 };

type Role = GenerationsRecord['generations'][number]['role'];

async function adopted(
  generations: readonly (readonly [number: number, role: Role, master: typeof one])[],
  running: readonly RunningGeneration[] = [],
) {
  const record: GenerationsRecord = {
    nextNumber: 8,
    generations: generations.map(([number, role, master]) => ({
      number,
      role,
      master,
      workers: [],
      config: 'live',
      configSha256: '',
      since: 0,
    })),
  };
  const program = {
    findRunning: () => running,
    cleanUpAllBut: async () => undefined,
  } as unknown as ProxyDriver;
  const { serving, retiring, nextNumber } = await adopt(createMachine().state, record, program, 0);
  return [serving?.number, retiring.map(({ number }) => number), nextNumber];
}

test('the recorded serving generation is adopted, and a newer one without proof retires', async () => {
  const both = [
    [6, 'serving', one],
    [7, 'starting', other],
  ] as const;
  expect(await adopted(both)).toEqual([6, [7], 8]);
});

test('a generation whose process is dead is not adopted, even if its pid was reused', async () => {
  const both = [
    [6, 'serving', gone],
    [7, 'starting', other],
  ] as const;
  expect(await adopted(both)).toEqual([7, [], 8]);
});

test('an unrecorded generation that accepts new connections serves', async () => {
  const running = [{ number: 9, master: other, workers: [], listens: true }] as readonly RunningGeneration[];
  expect(await adopted([[6, 'serving', one]], running)).toEqual([9, [6], 11]);
});
