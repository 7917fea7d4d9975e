import { apiServerAnswers, startApiServer } from '../../helpers/vrrp/api-server.ts';
import { createVrrpBed, type VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { createMachine, type Machine } from './machine.ts';
import { makeRunFolder } from './run-folder.ts';

/** Nodes with an API server and a kubelet each. Nothing is installed yet. */
export interface PodWorld extends AsyncDisposable {
  readonly bed: VrrpBed;
  readonly machines: readonly Machine[];
  kubelet(machine: Machine): Kubelet;
  startApi(machine: Machine): Promise<void>;
  /** Boots the machine with its kubelet; nothing else runs. */
  powerOn(machine: Machine): Promise<void>;
  powerOff(machine: Machine): Promise<void>;
}

/** `probePatience`: see `startKubelet`. In tests of other things, a busy machine must not fail the probes. */
export async function createPodWorld(count: number, probePatience = 6): Promise<PodWorld> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(count, probePatience, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function furnish(count: number, probePatience: number, stack: AsyncDisposableStack): Promise<PodWorld> {
  const dir = makeRunFolder('nodes', stack);
  const bed = stack.use(await createVrrpBed(count));
  const kubelets = new Map<Machine, Kubelet>();
  const machines = bed.nodes.map((node) => createMachine(node, dir));
  const kubelet = (machine: Machine) => {
    const found = kubelets.get(machine);
    if (found === undefined) throw new Error(`Cannot find a kubelet on "${machine.node.name}": it is off`);
    return found;
  };
  const boot = async (machine: Machine) => {
    await machine.boot();
    await machine.run('mkdir', '-p', '/etc/kubernetes/manifests');
    kubelets.set(machine, startKubelet(machine, probePatience));
  };
  const lose = async (machine: Machine) => {
    const stopped = kubelets.get(machine)?.stop();
    kubelets.delete(machine);
    await bed.powerOff(machine.node);
    await stopped;
    // The kubelet may have started more just before.
    machine.node.killAll();
    await machine.lose();
  };
  stack.defer(async () => void (await Promise.all(machines.map(lose))));
  await Promise.all(machines.map(boot));
  const owned = stack.move();
  return {
    bed,
    machines,
    kubelet,
    startApi: async ({ node }) => {
      startApiServer(bed, node);
      await waitFor(`${node.name} to answer`, () => apiServerAnswers(node), 120_000);
    },
    powerOff: lose,
    powerOn: async (machine) => {
      await bed.powerOn(machine.node);
      await boot(machine);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
