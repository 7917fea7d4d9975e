import * as z from 'zod/mini';
import { settingsTyped } from '../../cli/command-line.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { statusCommand } from '../status/status-settings.ts';

const limits = { timeoutMs: 2_000, signal: new AbortController().signal };

/**
 * The ports at which this node's supervisors answer. HAProxy and the monitors close their ports when asked to stop;
 * these stay open until the last connection has drained and keepalived is gone. Ports of other programs are left out.
 */
export async function supervisorPages(): Promise<readonly number[]> {
  // Neither the environment of this process nor the settings file has these addresses.
  const { haproxySupervisor, keepalivedSupervisor } = settingsTyped(statusCommand, [], {}, () => undefined);
  const [haproxy, keepalived] = await Promise.all([
    askProgram('haproxy-supervisor', haproxySupervisor, supervisorStatusSchema, limits),
    askProgram('keepalived-supervisor', keepalivedSupervisor, vrrpStatusSchema, limits),
  ]);
  return [
    ...(haproxySupervisor && haproxy.status ? [haproxySupervisor.port] : []),
    ...(keepalivedSupervisor && keepalived.status ? [keepalivedSupervisor.port] : []),
  ];
}

/** What a keepalived supervisor of any version answers: an older one is about to be replaced. */
const anyVersionSchema = z.object({ ok: z.boolean(), phase: z.string(), instances: z.array(z.unknown()) });

/** Whether what listens there is keepalived's supervisor, by its answer: its process may be out of sight in a container. */
export async function isKeepalivedSupervisor(page: PageAddress): Promise<boolean> {
  return (await askProgram('keepalived-supervisor', page, anyVersionSchema, limits)).status !== null;
}
