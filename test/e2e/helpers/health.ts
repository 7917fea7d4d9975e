import { waitFor } from '../../helpers/wait-for.ts';
import type { PodName } from './install.ts';
import type { Kubelet } from './kubelet.ts';
import type { Machine } from './machine.ts';
import { type ContainerState, containerState } from './pod-runner.ts';
import type { PodWorld } from './pod-world.ts';

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

/** The names of those whose liveness probe fails now. */
export async function unwell(kubelet: Kubelet, among = containers): Promise<readonly string[]> {
  const answers = await Promise.all(
    among.map(async ({ pod, name }) => ((await kubelet.probe(pod, name)) ? [] : [name])),
  );
  return answers.flat();
}

export async function allWell(kubelet: Kubelet, among = containers): Promise<void> {
  await waitFor('every probe to succeed', async () => (await unwell(kubelet, among)).length === 0, 60_000);
}

export async function statesOf(machine: Machine): Promise<ReadonlyMap<string, ContainerState>> {
  const states = await Promise.all(
    containers.map(async ({ pod, name }) => [name, await containerState(machine, pod, name)] as const),
  );
  return new Map(states);
}

/** Both pods answer their probes, this node leads the VIP to its HAProxy, and somebody holds the VIP. */
export async function ready(world: PodWorld, machine: Machine): Promise<void> {
  await allWell(world.kubelet(machine));
  await waitFor(`the redirect on ${machine.node.name}`, () => redirects(machine), 60_000);
  await waitFor('one node to hold the VIP', () => world.bed.holders().length === 1, 60_000);
}

export async function redirects(machine: Machine): Promise<boolean> {
  return (await machine.run('nft', 'list', 'ruleset')).includes(' . 9445 ');
}
