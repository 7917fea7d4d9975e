import * as z from 'zod/mini';
import {
  commandSpec,
  flag,
  jsonFlag,
  type SettingsFrom,
  type SettingsOf,
  toggle,
} from '../../cli/command-spec.ts';
import { absolutePath, durationMs, listOf, oneOf } from '../../cli/fields.ts';
import { apiPort, healthPort, keepalivedMonitor } from '../../cli/shared-flags.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';
import { longestMoveMs, words } from './vip-order.ts';

const kind = oneOf(vipKinds);
const kinds = z.pipe(
  listOf(kind, 'expected api or ingress'),
  z.transform((each) => [...new Set(each)]),
);
const longest = { error: `expected at most ${longestMoveMs / 2_000}s` };
const patience = durationMs.check(z.refine((ms) => ms <= longestMoveMs / 2, longest));
const nodeName = z.optional(z.string().check(z.minLength(1, { error: 'expected the name of a node' })));

/** The order file, and where to reach the monitor and the peers. */
const placeFlags = {
  steering: flag('<path>', absolutePath, 'file from which the keepalived monitor reads orders', {
    default: '/etc/hawser-keepalived/vrrp-steering.json',
  }),
  keepalivedMonitor,
  healthPort,
};
const json = jsonFlag('print JSON, as schemas/steering.schema.json describes it');
const reason = flag('<text>', z._default(words, ''), 'kept in the journal and shown in the status', {
  inFile: 'never',
});
const dryRun = toggle('print what would happen and every reason against it; change nothing', {
  typedOnly: true,
  inFile: 'never',
});
const timeout = flag('<duration>', patience, 'how long the VIP may take to move', {
  default: '30s',
  inFile: 'never',
});
const kindsFlag = flag(
  '<kinds>',
  z.optional(kinds),
  'api, ingress or both with a comma (default: all that this node has)',
  { choices: vipKinds, typedOnly: true, inFile: 'never' },
);

export const drainCommand = commandSpec({
  name: 'drain',
  section: 'keepalived',
  summary: 'Moves the VIPs off this node until undrain; it then holds one only if no other node can.',
  flags: {
    kind: kindsFlag,
    reason,
    force: toggle('drain even if no other node reports that it could serve', {
      typedOnly: true,
      inFile: 'never',
    }),
    timeout,
    ...placeFlags,
    json,
  },
  examples: [
    ['hawser drain --reason "kernel 6.18"', 'before this node, or its API server, is stopped'],
    ['hawser drain --kind ingress', 'only the VIP of ingress'],
  ],
  notes: [
    'A drain survives restarts of this node. The old holder serves until the next one does; requests under way when the VIP moves are cut.',
    'Exit codes: 0 drained and every VIP is elsewhere, 1 refused or a VIP is still here, 2 cannot tell or usage.',
  ],
});

export const undrainCommand = commandSpec({
  name: 'undrain',
  section: 'keepalived',
  summary: 'Lets this node hold VIPs again. Moves nothing.',
  flags: { kind: kindsFlag, ...placeFlags, json },
  examples: [['hawser undrain', 'after the work on this node']],
  notes: [
    'It also removes an order that cannot be read.',
    'Exit codes: 0 no longer drained, 1 refused or not confirmed, 2 cannot tell or usage.',
  ],
});

export const moveVipCommand = commandSpec({
  name: 'move-vip',
  section: 'keepalived',
  summary: 'Moves a VIP once: from this node to the next one, or from its holder to this node.',
  flags: {
    to: flag('<node>', nodeName, 'the node to move it to (default: the next in rank; run it on the holder)', {
      inFile: 'never',
    }),
    kind: flag('<kind>', kind, 'api or ingress', { default: 'api', inFile: 'never', typedOnly: true }),
    apiPort: { ...apiPort, help: 'port of the API VIP to probe while it moves' },
    reason,
    dryRun,
    timeout,
    ...placeFlags,
    json,
  },
  examples: [
    ['hawser move-vip', 'on the holder: the next node takes it and keeps it'],
    ['hawser move-vip --to cp-2', 'on cp-2: takes it; on the holder: only if cp-2 is next'],
    ['hawser move-vip --dry-run', 'where would it go, and why?'],
  ],
  notes: [
    'While the VIP moves, this node opens a new connection to it every 20 ms and reports the longest gap: GET /readyz for the API, a TCP connection to port 443 for ingress. No answer within a second is a failure.',
    'An order that no node can carry out expires after --timeout and leaves nothing behind.',
    'Exit codes: 0 moved, or it is there already; 1 refused or not moved; 2 cannot tell or usage.',
  ],
});

/** The settings that all three commands need. */
export type OrderEndpoints = SettingsFrom<typeof placeFlags>;
export type DrainSettings = SettingsOf<typeof drainCommand>;
export type UndrainSettings = SettingsOf<typeof undrainCommand>;
export type MoveVipSettings = SettingsOf<typeof moveVipCommand>;
