import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { Machine } from './machine.ts';
import type { PodWorld } from './pod-world.ts';

const HAWSER = fileURLToPath(new URL('../../../bin/hawser', import.meta.url));

/**
 * For `beforeEach`: if the test fails, prints what `hawser timeline` shows of the nodes' journals since it started, and
 * all problems of the kubelets so far.
 */
export function printStoryOf(world: () => PodWorld): (context: TestContext) => void {
  return ({ onTestFailed }) => {
    const since = new Date().toISOString();
    onTestFailed(async () => {
      const journals = world().machines.flatMap((machine) => ['--journal', machine.at('/var/log/hawser')]);
      const argv = [HAWSER, 'timeline', '--since', since, '--utc', ...journals] as const;
      const { stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
      console.error([`${stdout}${stderr}`, ...world().machines.flatMap(troublesOf(world()))].join('\n'));
    });
  };
}

const troublesOf = (world: PodWorld) => (machine: Machine) => {
  try {
    return world
      .kubelet(machine)
      .troubles()
      .map((trouble) => `kubelet of ${machine.node.name}: ${trouble}`);
  } catch (error) {
    return [String(error)];
  }
};
