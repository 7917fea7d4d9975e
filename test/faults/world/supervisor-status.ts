import { join } from 'node:path';
import {
  type SupervisorStatus,
  supervisorStatusSchema,
} from '../../../src/haproxy/supervise/supervisor-status.ts';
import { askRaw } from '../../helpers/supervisor-ask.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';

const PATIENCE_MS = 2_000;

/** The status of HAProxy's supervisor; undefined without an answer. */
export async function supervisorStatus(node: BedNode): Promise<SupervisorStatus | undefined> {
  try {
    const [answer] = await askRaw(join(node.runDir, 'haproxy-master.sock'), 'status\n', PATIENCE_MS);
    return supervisorStatusSchema.parse(answer);
  } catch {
    return undefined;
  }
}

/** SHA-256 of the configuration that the newest generation serves; null if none serves. */
export async function servedSha(node: BedNode): Promise<string | null> {
  return (await supervisorStatus(node))?.current?.configSha256 ?? null;
}
