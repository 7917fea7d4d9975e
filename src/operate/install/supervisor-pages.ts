import { settingsTyped } from '../../cli/command-line.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { statusCommand } from '../status/status-settings.ts';

const ANSWER_WITHIN_MS = 2_000;

/**
 * The ports at which this node's supervisors answer. HAProxy and the monitors close their ports when asked to stop;
 * these stay open until the last connection has drained and keepalived is gone. Ports of other programs are left out.
 */
export async function supervisorPages(): Promise<readonly number[]> {
  // Neither the environment of this process nor the settings file has these addresses.
  const { haproxySupervisor, keepalivedSupervisor } = settingsTyped(statusCommand, [], {}, () => undefined);
  const options = { timeoutMs: ANSWER_WITHIN_MS, signal: new AbortController().signal };
  const [haproxy, keepalived] = await Promise.all([
    askProgram('haproxy-supervisor', haproxySupervisor, supervisorStatusSchema, options),
    askProgram('keepalived-supervisor', keepalivedSupervisor, vrrpStatusSchema, options),
  ]);
  return [
    ...(haproxySupervisor && haproxy.status ? [haproxySupervisor.port] : []),
    ...(keepalivedSupervisor && keepalived.status ? [keepalivedSupervisor.port] : []),
  ];
}
