import { memoryOf } from '../../../helpers/process-tree.ts';
import type { Scenario } from '../scenario.ts';

export const idle: Scenario = {
  name: 'idle',
  about: 'the supervisor itself at rest, 30 s after its start, HAProxy not counted',
  targets: {
    supervisorRssMb: { kind: 'at-most', value: 60 },
    supervisorAnonymousMb: { kind: 'at-most', value: 16 },
  },
  run: async (bench) => {
    await using host = await bench.openHost();
    await bench.pause(30_000);
    const supervisor = host.processes().filter(({ kind }) => kind === 'node' || kind === 'other');
    const memory = memoryOf(supervisor);
    return {
      supervisorProcesses: supervisor.length,
      supervisorRssMb: memory.rss / 1_024,
      supervisorPssMb: memory.pss / 1_024,
      supervisorAnonymousMb: memory.anonymous / 1_024,
    };
  },
};
