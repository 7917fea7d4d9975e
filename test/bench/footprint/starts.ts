import { join } from 'node:path';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { vrrpStatusSchema } from '../../../src/keepalived/supervise/vrrp-status.ts';
import { askRaw } from '../../helpers/supervisor-ask.ts';
import { startClient } from '../../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import type { HawserStack } from '../../helpers/vrrp/hawser.ts';
import { stackPorts } from '../../helpers/vrrp/node-stack.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { Scene } from '../failover/scene.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';

export const sockets = { haproxy: 'haproxy-master.sock', keepalived: 'keepalived.sock' } as const;
export type Supervisor = keyof typeof sockets;

/** `adopting`: only the supervisor was killed and its program still runs. `cold`: neither runs. */
export type StartKind = 'adopting' | 'cold';

const PATIENCE_MS = 60_000;
const POLL_MS = 5;
const CLIENT = { timeoutMs: 1_000, gapMs: 10 };

/** Milliseconds from the start of a supervisor to the event that `ends` waits for. */
export async function startTimes(
  scene: Scene,
  node: BedNode,
  [part, kind]: readonly [Supervisor, StartKind],
  rounds: number,
): Promise<Spread | null> {
  const stack = scene.stack as HawserStack;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = stack.part(node, part);
    if (before === undefined) throw new Error(`Cannot restart ${part} on ${node.name}: it does not run`);
    await killAll([before.id]);
    // Killed after the supervisor, which would restart it, and children first.
    if (kind === 'cold') await killAll(node.running(part).toReversed());
    const start = (): number => {
      const fromMs = monotonicMs();
      stack.startPart(node, part);
      return fromMs;
    };
    times.push(await ends[part][kind](node, start));
    await scene.rested();
  }
  return spreadOf(times);
}

type End = (node: BedNode, start: () => number) => Promise<number>;

/** An adopting supervisor is up once it answers on its control socket. Its program never stopped serving. */
const adopting =
  (part: Supervisor): End =>
  async (node, start) => {
    const fromMs = start();
    const answers = () => askRaw(join(node.runDir, sockets[part]), 'ping\n').then(Boolean, () => false);
    await waitFor(`${part} to answer`, answers);
    return monotonicMs() - fromMs;
  };

/** Ends with a client's first answer from an API server over TLS, through the load balancer's port. */
const servedCold: End = async (node, start) => {
  await using client = await startClient(
    node.namespace.prefix,
    '127.0.0.1',
    stackPorts.lb,
    CLIENT.timeoutMs,
    CLIENT.gapMs,
  );
  const fromMs = start();
  const first = await waitFor(
    'a client to be answered',
    () => client.probes().find(({ startedAtMs, reason }) => startedAtMs >= fromMs && reason === null),
    PATIENCE_MS,
  );
  return first.endedAtMs - fromMs;
};

/**
 * Ends when keepalived reports its first state. From then on it sends and receives adverts and can take the VIP. When it does depends
 * on its peers and the monitors rather than on its start: see bench:boot.
 */
const takesPartCold: End = async (node, start) => {
  const fromMs = start();
  const isUp = async () => {
    const [answer] = await askRaw(join(node.runDir, sockets.keepalived), 'status\n').catch(() => []);
    return vrrpStatusSchema.safeParse(answer).data?.phase === 'running';
  };
  await waitFor('keepalived to report a state', isUp, PATIENCE_MS, POLL_MS);
  return monotonicMs() - fromMs;
};

const ends: Readonly<Record<Supervisor, Readonly<Record<StartKind, End>>>> = {
  haproxy: { adopting: adopting('haproxy'), cold: servedCold },
  keepalived: { adopting: adopting('keepalived'), cold: takesPartCold },
};

async function killAll(ids: Parameters<typeof sendSignal>[0]): Promise<void> {
  sendSignal(ids, 'SIGKILL');
  await waitForEnd(ids);
}
