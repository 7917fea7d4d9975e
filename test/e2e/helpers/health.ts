import { waitFor } from '../../helpers/wait-for.ts';
import type { PodName } from './install.ts';
import type { Kubelet } from './kubelet.ts';
import type { Machine } from './machine.ts';
import { type ContainerState, containerState } from './pod-runner.ts';
import type { PodWorld } from './pod-world.ts';

/** Both CPUs may be busy with other work. */
export const PATIENCE_MS = 300_000;
/** Between two checks that each start a process. */
const LOOK_EVERY_MS = 500;

/** Like `waitFor`, for conditions that are checked by running a program on a node. */
export async function waitForPods(
  what: string,
  condition: () => Promise<boolean>,
  deadlineMs = PATIENCE_MS,
): Promise<void> {
  await waitFor(what, condition, deadlineMs, LOOK_EVERY_MS);
}

export interface ContainerName {
  readonly pod: PodName;
  readonly name: string;
}

/** The four programs of the two pods. */
export const containers: readonly ContainerName[] = [
  { pod: 'haproxy', name: 'haproxy' },
  { pod: 'haproxy', name: 'haproxy-monitor' },
  { pod: 'keepalived', name: 'keepalived' },
  { pod: 'keepalived', name: 'keepalived-monitor' },
];

/** Names of the containers whose liveness probe fails now. */
export async function unwell(kubelet: Kubelet, among = containers): Promise<readonly string[]> {
  const answers = await Promise.all(
    among.map(async ({ pod, name }) => ((await kubelet.probe(pod, name)) ? [] : [name])),
  );
  return answers.flat();
}

export async function allWell(kubelet: Kubelet, among = containers): Promise<void> {
  const isWell = async () => (await unwell(kubelet, among)).length === 0;
  await waitForPods('every probe to succeed', isWell).catch((cause: unknown) => {
    const troubles = kubelet.troubles().slice(-3).join('\n');
    throw new Error(
      `Cannot wait for pods that are not well; pods could not be started because: ${troubles}`,
      { cause },
    );
  });
}

export async function statesOf(machine: Machine): Promise<ReadonlyMap<string, ContainerState>> {
  const states = await Promise.all(
    containers.map(async ({ pod, name }) => [name, await containerState(machine, pod, name)] as const),
  );
  return new Map(states);
}

/** Both pods pass their probes, this node redirects the VIP to its HAProxy, and one node holds the VIP. */
export async function ready(world: PodWorld, machine: Machine): Promise<void> {
  try {
    await allWell(world.kubelet(machine));
    await waitForPods(`the redirect on ${machine.node.name}`, () => redirects(machine));
    await waitFor('one node to hold the VIP', () => world.bed.holders().length === 1, PATIENCE_MS);
  } catch (cause) {
    throw new Error(`Cannot go on: the pods are not as they should be\n${await lastWords(world)}`, { cause });
  }
}

/** The last log lines of every container, to find out why a test failed. */
async function lastWords({ machines }: PodWorld): Promise<string> {
  const words = machines.flatMap((machine) =>
    containers.map(async ({ pod, name }) => {
      const argv = ['logs', '--tail', '8', `${pod}-${name}`];
      const { stdout, stderr } = await machine.engine.attempt(argv, 10_000);
      return `--- ${machine.node.name} ${name}\n${stdout}${stderr}`;
    }),
  );
  return (await Promise.all(words)).join('');
}

export async function redirects(machine: Machine): Promise<boolean> {
  return (await machine.run('nft', 'list', 'ruleset')).includes(' . 9445 ');
}
