import * as z from 'zod/mini';
import type { CommandSpec, Flag } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, optionalListenAddress, port } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import {
  type PeerFieldValues,
  type PeerSettings,
  peerFields,
  peerProblems,
  peerSettings,
} from '../../cli/peer-settings.ts';
import { defaultPorts } from '../../cli/ports.ts';
import { healthPortFlag, peerFlags } from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { keepalivedMonitorPlaceFlag } from '../../operate/status/status-settings.ts';
import { longestMoveMs } from './vrrp-steering.ts';

/** Where orders are written, and the monitor to ask about this node. */
const placeFlags: readonly Flag[] = [
  {
    flag: '--steering <path>',
    help: 'file in which the keepalived monitor finds the order',
    default: '/etc/keepalived/vrrp-steering.json',
  },
  keepalivedMonitorPlaceFlag,
  healthPortFlag,
  ...peerFlags,
];
const jsonFlag: Flag = {
  flag: '--json',
  help: 'print JSON, as schemas/steering.schema.json describes it',
  inFile: 'never',
};
const reasonFlag: Flag = {
  flag: '--reason <text>',
  help: 'kept in the journal and shown in the status',
  inFile: 'never',
};
const dryRunFlag: Flag = {
  flag: '--dry-run',
  help: 'print what would happen and every reason against it; change nothing',
  inFile: 'never',
  typedOnly: true,
};
const timeoutFlag: Flag = {
  flag: '--timeout <duration>',
  help: 'how long the VIP may take to move',
  default: '30s',
  inFile: 'never',
};
const kindsFlag: Flag = {
  flag: '--kind <kinds>',
  help: 'api, ingress or both with a comma (default: all that this node has)',
  choices: ['api', 'ingress'],
  inFile: 'never',
  typedOnly: true,
};

export const drainCommand: CommandSpec = {
  name: 'drain',
  section: 'keepalived',
  summary: 'Moves the VIPs off this node until undrain; it then holds one only if no other node can.',
  positionals: [],
  flags: [
    kindsFlag,
    reasonFlag,
    {
      flag: '--force',
      help: 'drain even if no other node reports that it could serve',
      inFile: 'never',
      typedOnly: true,
    },
    timeoutFlag,
    ...placeFlags,
    jsonFlag,
  ],
  examples: [
    ['hawser drain --reason "kernel 6.18"', 'before this node, or its API server, is stopped'],
    ['hawser drain --kind ingress', 'only the VIP of ingress'],
  ],
  notes: [
    'A drain survives restarts of this node. The old holder serves until the next one does; requests under way when the VIP moves are cut.',
    'Exit codes: 0 drained and every VIP is elsewhere, 1 refused or a VIP is still here, 2 cannot tell or usage.',
  ],
};

export const undrainCommand: CommandSpec = {
  name: 'undrain',
  section: 'keepalived',
  summary: 'Lets this node hold VIPs again. Moves nothing.',
  positionals: [],
  flags: [kindsFlag, ...placeFlags, jsonFlag],
  examples: [['hawser undrain', 'after the work on this node']],
  notes: [
    'It also removes an order that cannot be read.',
    'Exit codes: 0 no longer drained, 1 refused or not confirmed, 2 cannot tell or usage.',
  ],
};

export const moveVipCommand: CommandSpec = {
  name: 'move-vip',
  section: 'keepalived',
  summary: 'Moves a VIP once: from this node to the next one, or from its holder to this node.',
  positionals: [],
  flags: [
    {
      flag: '--to <node>',
      help: 'the node to move it to (default: the next in rank; type it on the holder)',
      inFile: 'never',
    },
    {
      flag: '--kind <kind>',
      help: 'api or ingress',
      choices: ['api', 'ingress'],
      default: 'api',
      inFile: 'never',
      typedOnly: true,
    },
    reasonFlag,
    dryRunFlag,
    timeoutFlag,
    ...placeFlags,
    jsonFlag,
  ],
  examples: [
    ['hawser move-vip', 'on the holder: the next node takes it and keeps it'],
    ['hawser move-vip --to cp-2', 'on cp-2: takes it; on the holder: only if cp-2 is next'],
    ['hawser move-vip --dry-run', 'where would it go, and why?'],
  ],
  notes: [
    'An order that no node can follow expires after --timeout and leaves nothing behind.',
    'Exit codes: 0 moved, or it is there already; 1 refused or not moved; 2 cannot tell or usage.',
  ],
};

export const drillCommand: CommandSpec = {
  name: 'drill',
  section: 'keepalived',
  summary: 'Moves the API VIP away and back, and reports what a client lost.',
  positionals: [],
  flags: [
    { flag: '--to <node>', help: 'the node to move it to, as for move-vip', inFile: 'never' },
    {
      flag: '--away <duration>',
      help: 'how long after the start the VIP moves back',
      default: '10s',
      inFile: 'never',
    },
    { flag: '--stay', help: 'do not move it back', inFile: 'never' },
    {
      flag: '--probe <how>',
      help: 'https: GET /readyz with a new connection, any answer counts; tcp: a connection',
      choices: ['https', 'tcp'],
      default: 'https',
      inFile: 'never',
    },
    { flag: '--api-port <port>', help: 'port of the VIP', default: `${defaultPorts.api}`, inFile: 'top' },
    reasonFlag,
    dryRunFlag,
    timeoutFlag,
    ...placeFlags,
    { ...jsonFlag, help: 'print JSON, as schemas/drill.schema.json describes it' },
  ],
  examples: [
    ['hawser drill --dry-run', 'would it be allowed now, and who would take the VIP?'],
    ['hawser drill', 'on the holder: away for 10 s and back, with the numbers'],
    ['hawser drill --stay --json', 'once, and it stays where it went'],
  ],
  notes: [
    'The whole plan is one order to the keepalived monitor: Ctrl-C moves the VIP back at once, and if this command is killed the VIP comes back at its time. The command tries a connection to the VIP every 20 ms; no answer within a second is a failure.',
    'Exit codes: 0 moved, and back where asked; 1 refused, not moved or not back; 2 cannot tell or usage.',
  ],
};

/** It goes into a file and from there into logs and to terminals. */
const words = z._default(
  z
    .string()
    .check(
      z.maxLength(200, { error: 'expected at most 200 characters' }),
      z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'expected text without control characters' }),
    ),
  '',
);
const kindNames = ['api', 'ingress'] as const;
const kindError = { error: 'expected api or ingress' };
const kinds = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => [...new Set(text.split(',').map((part) => part.trim()))]),
    z.array(z.enum(kindNames, kindError)),
  ),
);
const flag = z._default(z.boolean(), false);
const longest = { error: `expected at most ${longestMoveMs / 2_000}s` };
const patience = durationMs.check(z.refine((ms) => ms <= longestMoveMs / 2, longest));
const name = z.optional(z.string().check(z.minLength(1, { error: 'expected the name of a node' })));

const places = {
  settings: z.optional(absolutePath),
  steering: absolutePath,
  keepalivedMonitor: optionalListenAddress,
  healthPort: port,
  ...peerFields,
};
const drainSchema = z.object({
  ...places,
  kind: z.optional(kinds),
  reason: words,
  force: flag,
  timeout: patience,
  json: outputFormat,
});
const undrainSchema = z.object({ ...places, kind: z.optional(kinds), json: outputFormat });
const move = { ...places, to: name, reason: words, dryRun: flag, timeout: patience, json: outputFormat };
const moveSchema = z.object({ ...move, kind: z.enum(kindNames, kindError) });
const drillSchema = z.object({
  ...move,
  away: patience,
  stay: flag,
  probe: z.enum(['https', 'tcp'], { error: 'expected https or tcp' }),
  apiPort: port,
});

type Values = Readonly<Record<string, unknown>>;

/** The settings that all four commands need. */
export type SteeringEndpoints = WithPeers<z.infer<z.ZodMiniObject<typeof places>>>;

type WithPeers<T> = T & {
  /** How the other nodes are asked what they publish. */
  readonly peers: PeerSettings | undefined;
};

/** Each throws a ConfigError that lists every problem. */
export function drainSettings(values: Values): WithPeers<z.infer<typeof drainSchema>> {
  return withPeers(parseSettings(drainSchema, values));
}

export function undrainSettings(values: Values): WithPeers<z.infer<typeof undrainSchema>> {
  return withPeers(parseSettings(undrainSchema, values));
}

export function moveVipSettings(values: Values): WithPeers<z.infer<typeof moveSchema>> {
  return withPeers(parseSettings(moveSchema, values));
}

export function drillSettings(values: Values): WithPeers<z.infer<typeof drillSchema>> {
  return withPeers(parseSettings(drillSchema, values));
}

function withPeers<T extends PeerFieldValues>(settings: T): WithPeers<T> {
  const problems = peerProblems(settings, []);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...settings, peers: peerSettings(settings) };
}
