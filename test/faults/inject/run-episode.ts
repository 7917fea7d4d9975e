import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Episode, PlannedFault } from '../generate/schedule.ts';
import type { EntryOf, HistoryWriter } from '../record/history.ts';
import type { World } from '../world/world.ts';
import type { Undo } from './injector.ts';
import { injectors } from './injectors.ts';

/** Injects and ends all faults of an episode. Resolves once the last one is over, or immediately after an abort. */
export async function runEpisode(
  world: World,
  episode: Episode,
  { write }: HistoryWriter,
  signal: AbortSignal,
): Promise<void> {
  const roles = world.roles();
  const startMs = monotonicMs();
  const until = (ms: number) =>
    delay(Math.max(0, startMs + ms - monotonicMs()), undefined, { signal }).catch(() => undefined);
  const run = async (fault: PlannedFault) => {
    const said = declare(fault, roles[fault.role]);
    const { role, startMs: firstMs, turns = [{ role, startMs: firstMs }] } = fault;
    await until(fault.startMs);
    if (signal.aborted) return;
    // Recorded before the injection, so that no effect precedes it.
    write({ ...said, phase: 'start', atMs: monotonicMs() });
    try {
      const undos: Undo[] = [];
      for (const turn of turns) {
        await until(turn.startMs);
        if (signal.aborted && undos.length > 0) break;
        undos.push(await injectors[fault.name]({ world, node: roles[turn.role], variant: fault.variant }));
      }
      await until(fault.endMs);
      write({ ...said, phase: 'undo', atMs: monotonicMs() });
      await Promise.all(undos.map((undo) => undo()));
      write({ ...said, phase: 'end', atMs: monotonicMs() });
    } catch (error) {
      write({ ...said, phase: 'missed', atMs: monotonicMs(), problem: messageOf(error) });
    }
  };
  await Promise.all(episode.faults.map(run));
}

function declare(
  { id, name, variant }: PlannedFault,
  node: BedNode,
): Omit<EntryOf<'fault'>, 'phase' | 'atMs'> {
  const apart = apartOf(name, variant, node.name);
  return { kind: 'fault', id, name, variant, node: node.name, ...(apart !== undefined && { apart }) };
}

function apartOf(name: PlannedFault['name'], variant: string, node: string): string[] | undefined {
  if (name === 'partition') return variant === 'node' ? [node] : [node, 'client'];
  return ['unplug', 'power-off', 'replace-node'].includes(name) ? [node] : undefined;
}
