import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../wait-for.ts';
import { type BedProcess, startProcess } from './bed-process.ts';
import { stackPorts } from './node-stack.ts';
import type { VrrpBed } from './vrrp-bed.ts';

/** A connection through the VIP that lasts until it is closed; a dead one is noticed within seconds. */
export async function openStream(bed: VrrpBed): Promise<BedProcess> {
  const log = join(mkdtempSync(join(bed.dir, 'stream-')), 'log');
  const url = `https://${bed.vip}:${stackPorts.lb}/api/v1/nodes?watch=1`;
  const stream = startProcess(bed.client.prefix, ['curl', '-skN', '--keepalive-time', '1', url], log);
  await waitFor('the first words of the stream', () => statSync(stream.log).size > 0, 120_000);
  return stream;
}
