import { type CommandSpec, readCommandLine } from '../../config/command-line.ts';
import {
  haproxySuperviseCommand,
  haproxySuperviseSettings,
} from '../../config/haproxy-supervise-settings.ts';
import {
  keepalivedSuperviseCommand,
  keepalivedSuperviseSettings,
} from '../../config/keepalived-supervise-settings.ts';
import { supervisorStatusSchema } from '../../protocol/supervisor-status.ts';
import { vrrpStatusSchema } from '../../protocol/vrrp-status.ts';
import { askProgram } from '../../status/ask-program.ts';

const ANSWER_WITHIN_MS = 2_000;

/**
 * The ports at which supervisors of this node answer. What HAProxy and the monitors listen on closes as they are told to
 * end; these stay until the last connection has drained and keepalived is gone. Somebody else at such a port is not among them.
 */
export async function supervisorPages(): Promise<readonly number[]> {
  const haproxy = haproxySuperviseSettings(defaultsOf(haproxySuperviseCommand), {}).listen;
  const keepalived = keepalivedSuperviseSettings(defaultsOf(keepalivedSuperviseCommand)).listen;
  const options = { timeoutMs: ANSWER_WITHIN_MS, signal: new AbortController().signal };
  const answers = [
    { page: haproxy, answer: askProgram('haproxy-supervisor', haproxy, supervisorStatusSchema, options) },
    { page: keepalived, answer: askProgram('keepalived-supervisor', keepalived, vrrpStatusSchema, options) },
  ];
  const ports = answers.map(async ({ page, answer }) =>
    page === undefined || (await answer).status === null ? [] : [page.port],
  );
  return (await Promise.all(ports)).flat();
}

/** No settings file names these pages. */
function defaultsOf(spec: CommandSpec): Readonly<Record<string, unknown>> {
  const line = readCommandLine(spec, [], {});
  return line.kind === 'values' ? line.values : {};
}
