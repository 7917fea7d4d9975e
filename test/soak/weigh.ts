import { readdirSync } from 'node:fs';
import type { ProcessId } from '../../src/engine/system/process/processes.ts';
import { memoryOf } from '../helpers/process-tree.ts';
import type { HawserPart } from '../helpers/vrrp/hawser.ts';
import type { SoakWorld } from './world.ts';

/** What is measured: hawser's four programs and the programs they start. */
export const programs = [
  'haproxy-monitor',
  'haproxy-supervisor',
  'haproxy',
  'keepalived-monitor',
  'keepalived-supervisor',
  'keepalived',
] as const;
export type Program = (typeof programs)[number];

export const quantities = ['anonymousMb', 'residentMb', 'descriptors', 'processes'] as const;
export type Quantity = (typeof quantities)[number];

export type Weight = Readonly<Record<Quantity, number>>;

/** Means over the nodes. Who holds the VIP changes the figures of single nodes, but not the sum. */
export interface Weighed {
  readonly atMs: number;
  readonly programs: Readonly<Record<Program, Weight>>;
}

export function weighAll({ bed, stack }: SoakWorld): Weighed['programs'] {
  const part = (name: HawserPart) =>
    mean(
      bed.nodes.map((node) => {
        const process = stack.part(node, name);
        return process === undefined ? [] : [process.id];
      }),
    );
  const driven = (program: string) => mean(bed.nodes.map((node) => node.running(program)));
  return {
    'haproxy-monitor': part('haproxy-monitor'),
    'haproxy-supervisor': part('haproxy'),
    haproxy: driven('haproxy'),
    'keepalived-monitor': part('keepalived-monitor'),
    'keepalived-supervisor': part('keepalived'),
    keepalived: driven('keepalived'),
  };
}

function mean(idsOfNodes: readonly (readonly ProcessId[])[]): Weight {
  const ids = idsOfNodes.flat();
  const { anonymous, rss } = memoryOf(ids.map((id) => ({ id })));
  const each = (total: number) => total / idsOfNodes.length;
  return {
    anonymousMb: each(anonymous / 1_024),
    residentMb: each(rss / 1_024),
    descriptors: each(ids.reduce((sum, { pid }) => sum + descriptorsOf(pid), 0)),
    processes: each(ids.length),
  };
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
