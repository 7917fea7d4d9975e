import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { Machine } from './machine.ts';
import type { PodWorld } from './pod-world.ts';

const HAWSER = fileURLToPath(new URL('../../../bin/hawser', import.meta.url));

/** Lines that a summary of failures can hold. */
const MOST_LINES = 60;

/**
 * For `beforeEach`: if the test fails, prints what `hawser timeline` shows of the nodes' journals since it started, and
 * all problems of the kubelets so far. The error gets the last lines of both, because the summary at the end of a run may be all that is kept.
 */
export function printStoryOf(world: () => PodWorld): (context: TestContext) => void {
  return ({ task, onTestFailed }) => {
    const since = new Date().toISOString();
    onTestFailed(async () => {
      const journals = world().machines.flatMap((machine) => ['--journal', machine.at('/var/log/hawser')]);
      const argv = [HAWSER, 'timeline', '--since', since, '--utc', ...journals] as const;
      const { stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
      const story = [`${stdout}${stderr}`, ...world().machines.flatMap(troublesOf(world()))].join('\n');
      console.error(story);
      const error = task.result?.errors?.at(-1);
      if (error !== undefined) error.message += `\n${story.split('\n').slice(-MOST_LINES).join('\n')}`;
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
