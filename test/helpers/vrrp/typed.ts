import { existsSync, readFileSync } from 'node:fs';
import { fromJSONSchema } from 'zod';
import * as z from 'zod/mini';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import {
  type KeepalivedMonitorStatus,
  keepalivedMonitorStatusSchema,
} from '../../../src/vip/settings/keepalived-monitor-status.ts';
import { hawser } from '../supervisor-build.ts';
import type { BedNode } from './bed-node.ts';

const PATIENCE_MS = 180_000;

/** The orders file on a node of the bed, next to its keepalived.conf. */
export const ordersOf = (node: BedNode): string => node.at('vrrp-steering.json');

export const hasOrder = (node: BedNode): boolean => existsSync(ordersOf(node));

export interface Typed {
  readonly exitCode: number | undefined;
  /** The report of a command with `--json`, as in its published schema; undefined for others. */
  readonly report: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
}

export const argvOf = (
  node: BedNode,
  args: readonly string[],
  before: readonly string[] = [],
): [string, ...string[]] => [
  ...node.namespace.prefix,
  ...before,
  hawser,
  ...args,
  '--steering',
  ordersOf(node),
];

/** Runs a steering command, as typed on the node. */
export async function typed(node: BedNode, ...args: readonly string[]): Promise<Typed> {
  const { exitCode, stdout, stderr } = await runCommand(argvOf(node, args), { timeoutMs: PATIENCE_MS });
  const isJson = args.includes('--json');
  const report = isJson ? reportIn(stdout) : undefined;
  return { exitCode, report, text: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') };
}

/** Throws unless it matches `schemas/steering.schema.json`. */
export function reportIn(text: string): Readonly<Record<string, unknown>> {
  const path = new URL('../../../schemas/steering.schema.json', import.meta.url);
  const report: unknown = JSON.parse(text);
  fromJSONSchema(JSON.parse(readFileSync(path, 'utf8'))).parse(report);
  return z.record(z.string(), z.unknown()).parse(report);
}

/** What the node's monitor says about itself. */
export async function monitorStatus(node: BedNode): Promise<KeepalivedMonitorStatus> {
  const page = await node.namespace.run('curl', '-s', '--max-time', '10', 'http://127.0.0.1:29447/status');
  return keepalivedMonitorStatusSchema.parse(JSON.parse(page));
}

/** What it says about the API VIP. */
export async function vipPriority(node: BedNode): Promise<KeepalivedMonitorStatus['priorities'][number]> {
  const [first] = (await monitorStatus(node)).priorities;
  if (first === undefined) throw new Error(`Cannot find a priority of ${node.name}: it has none`);
  return first;
}
