import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { CommandSpec, Flag } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { addresses, directories, listenAddress, optionalListenAddress, port } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { peerFields, peerProblems, peerSettings } from '../../cli/peer-settings.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { apiVipsFlag, defaultJournalPath, healthPortFlag, peerFlags } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

export const keepalivedMonitorPlaceFlag: Flag = {
  flag: '--keepalived-monitor <address:port>',
  help: 'address of the keepalived monitor\'s page, or "off" (settings: keepalived.listen)',
  default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`,
  keyInFile: ['keepalived', 'listen'],
};

/** Where the four programs are asked, and HAProxy. For every command that asks them. */
export const statusEndpointFlags: readonly Flag[] = [
  {
    flag: '--haproxy-monitor <address:port>',
    help: 'address of the HAProxy monitor\'s page, or "off" (settings: haproxy.listen)',
    default: `127.0.0.1:${defaultPorts.haproxyMonitor}`,
    keyInFile: ['haproxy', 'listen'],
  },
  keepalivedMonitorPlaceFlag,
  {
    flag: '--keepalived-supervisor <address:port>',
    help: 'its page, or "off": its --listen',
    default: `127.0.0.1:${defaultPorts.keepalivedSupervisor}`,
    inFile: 'never',
  },
  {
    flag: '--haproxy-supervisor <address:port>',
    help: 'its page, or "off": its --listen',
    default: `127.0.0.1:${defaultPorts.haproxySupervisor}`,
    inFile: 'never',
  },
  {
    flag: '--stat-port <port>',
    help: "HAProxy's statistics page, on loopback",
    default: `${defaultPorts.statistics}`,
  },
  healthPortFlag,
  apiVipsFlag,
  { flag: '--ingress-vips <addresses>', help: 'virtual IPs of ingress, likewise', inFile: 'top' },
  {
    flag: '--node-name <name>',
    help: "this node's name in the list of nodes (default: the hostname)",
    inFile: 'top',
  },
  ...peerFlags,
];

export const statusCommand: CommandSpec = {
  name: 'status',
  summary: 'Shows who holds each VIP and why, API servers, HAProxy, keepalived, and what is wrong now.',
  section: 'haproxy',
  positionals: [],
  flags: [
    { flag: '--watch', help: 'repeat every second until Ctrl-C', inFile: 'never' },
    { flag: '--json', help: 'print JSON, as schemas/status.schema.json describes it', inFile: 'never' },
    {
      flag: '--serve <address:port>',
      help: 'serve a page for browsers at this address until Ctrl-C, such as 127.0.0.1:9446',
      inFile: 'never',
    },
    {
      flag: '--journal <dirs>',
      help: `for --serve: whose last hour it shows, several by commas or by repeating it (default: ${defaultJournalPath})`,
      repeats: true,
      inFile: 'never',
    },
    {
      flag: '--timeout <duration>',
      help: 'how long a program of this node may take to answer; other nodes get half of it',
      default: '250ms',
      inFile: 'never',
    },
    ...statusEndpointFlags,
  ],
  examples: [
    ['hawser status', 'on any control-plane node, as any user'],
    ['hawser status --watch'],
    ['hawser status --serve 127.0.0.1:9446', 'then, from elsewhere: ssh -L 9446:127.0.0.1:9446 NODE'],
    ["hawser status --json | jq -r '.vips[] | [.vip, .holders[]] | @tsv'"],
    ['hawser status --json | jq \'.here.servers[] | select(.state != "up")\''],
  ],
  notes: [
    'It answers within 0.4 s even if a program hangs; on a machine starved of CPU raise --timeout.',
    "It asks all four programs, HAProxy and the other nodes at once, names what does not answer, and shows the rest. A priority is keepalived's own sum: the place in the list plus the value of each check.",
    'The page of --serve has no password: everyone who can reach the address can read it. It answers requests for an address or localhost, not for other names.',
    'Exit codes: 0 healthy, 1 degraded, 2 cannot tell (no program of hawser answers here), or usage.',
  ],
};

/** Of the commands that have `statusEndpointFlags`. */
export const statusEndpointFields = {
  haproxyMonitor: optionalListenAddress,
  keepalivedMonitor: optionalListenAddress,
  keepalivedSupervisor: optionalListenAddress,
  haproxySupervisor: optionalListenAddress,
  statPort: port,
  healthPort: port,
  apiVips: z._default(addresses, []),
  ingressVips: z._default(addresses, []),
  nodeName: z._default(z.string().check(z.minLength(1)), hostname),
  ...peerFields,
};

const schema = z.object({
  ...statusEndpointFields,
  watch: z._default(z.boolean(), false),
  json: outputFormat,
  timeout: durationMs,
  serve: z.optional(listenAddress),
  journal: z._default(directories, [defaultJournalPath]),
});

/** Throws a ConfigError that lists every problem. */
export function statusSettings(values: Readonly<Record<string, unknown>>) {
  const settings = parseSettings(schema, values);
  const problems = peerProblems(settings, [...settings.apiVips, ...settings.ingressVips]);
  const { serve, watch, json } = settings;
  const other = watch ? '--watch' : '--json';
  const clash =
    serve !== undefined && (watch || json) ? [`Cannot use --serve with ${other}: expected one of them`] : [];
  if (problems.length + clash.length > 0) throw new ConfigError([...problems, ...clash]);
  return { ...settings, peers: peerSettings(settings) };
}

export type StatusSettings = ReturnType<typeof statusSettings>;
