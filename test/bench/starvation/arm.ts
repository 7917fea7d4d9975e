import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { apiServerAnswers, startApiServer } from '../../helpers/vrrp/api-server.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import { createHawserStack, takesPart } from '../../helpers/vrrp/hawser.ts';
import { createVrrpBed, type VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/**
 * The weight of a process against a busy loop's, by its niceness: the kernel turns the CPU that a pod asks for into the
 * same kind of weight.
 */
export const niceness = {
  /** The same. */
  equal: 0,
  /** A third: 50m on a processor whose other pods have asked for all the rest of it, and use it. */
  fair: 5,
  /** A twentieth: 50m against loops of which each one has asked for a whole processor. */
  poor: 13,
} as const;

export const shares = ['realtime', 'equal', 'fair', 'poor'] as const;

/** The watchers must not be starved by what they watch. */
const WATCHER = ['chrt', '--rr', '50'];

export interface ArmPlan {
  readonly advertMs: number;
  /** `realtime` for keepalived, the rest is `fair`; else it may not raise its priority, as in the pod that is shipped. */
  readonly share: (typeof shares)[number];
  /** HAProxy, API servers and monitors run too. Else only keepalived and its supervisor do, and health stays as it was. */
  readonly whole: boolean;
}

/** Three nodes that are left alone. */
export interface Arm extends AsyncDisposable {
  readonly plan: ArmPlan;
  readonly bed: VrrpBed;
  /** The logs of the programs of all nodes. */
  readonly logs: readonly string[];
  keepLogs(to: string): void;
}

const parts = ['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor'];
const QUIET_MS = 5_000;
const PATIENCE_MS = 120_000;

export function nameOf({ advertMs, share, whole }: ArmPlan): string {
  return `${advertMs} ms ${share}${whole ? ' whole' : ''}`;
}

/** Resolves once one node has held the VIP for a while and the others could. */
export async function openArm(plan: ArmPlan): Promise<Arm> {
  const stack = new AsyncDisposableStack();
  try {
    const bed = stack.use(await createVrrpBed(3, { watcher: WATCHER }));
    await open(bed, plan);
    await rested(bed);
    return {
      plan,
      bed,
      logs: bed.nodes.flatMap((node) => parts.map((part) => node.at(`${part}.log`))),
      keepLogs: (to) => {
        for (const { name, dir } of bed.nodes)
          for (const part of parts)
            cpSync(join(dir, `${part}.log`), join(to, nameOf(plan), `${name}-${part}.log`));
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function open(bed: VrrpBed, { advertMs, share, whole }: ArmPlan): Promise<void> {
  const realtime = share === 'realtime';
  const unprivileged = ['setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice'];
  const hawser = createHawserStack(bed, {
    advertIntervalMs: advertMs,
    prefix: ['nice', '-n', String(niceness[realtime ? 'fair' : share]), ...(realtime ? [] : unprivileged)],
    flags: {
      keepalived: [
        ...(realtime ? [] : ['--realtime-priority', 'off']),
        ...(whole ? [] : ['--monitor-timeout', '24h']),
      ],
    },
  });
  const servers = bed.nodes.map((node) => startApiServer(bed, node));
  for (const node of bed.nodes) await waitFor(`${node.name} to answer`, () => apiServerAnswers(node), 30_000);
  await Promise.all(bed.nodes.map((node) => hawser.start(node)));
  await rested(bed);
  if (whole) return;
  for (const part of ['keepalived-monitor', 'haproxy-monitor', 'haproxy'] as const) {
    const ids = bed.nodes.flatMap((node) => hawser.part(node, part)?.id ?? []);
    sendSignal(ids, 'SIGTERM');
    await waitForEnd(ids, PATIENCE_MS);
  }
  sendSignal(
    servers.map(({ id }) => id),
    'SIGKILL',
  );
}

async function rested(bed: VrrpBed): Promise<void> {
  const settled = () => bed.holders().length === 1 && bed.nodes.every((node) => takesPart(node));
  for (let changes = -1; changes !== bed.events().length || !settled(); ) {
    await waitFor('one holder and two who could be', settled, PATIENCE_MS);
    changes = bed.events().length;
    await delay(QUIET_MS);
  }
}
