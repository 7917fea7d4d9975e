import { createHash } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';
import { readText } from '../engine/system/file/read-regular-file.ts';
import { type Block, namesIn, numberAfter, numberIn, parseBlocks, wordAfter } from './parse-blocks.ts';
import type { HeldAddress, WatchedInstance } from './vip-presence.ts';
import type { AcceptedConfiguration, TrackedFile } from './vrrp-program.ts';

/** A margin after the time at which the slowest peer should have taken over. */
const MASTER_DOWN_MARGIN_MS = 200;

/**
 * Parses what a supervisor needs from a keepalived.conf: the VIPs, their interfaces, and how soon a peer takes over. keepalived reads
 * the same text, so the two cannot disagree. `include` is not supported.
 */
export function parseConfiguration(
  text: string,
): Pick<AcceptedConfiguration, 'instances' | 'trackFiles' | 'notifyFifo'> {
  const blocks = parseBlocks(text);
  const globals = blocks
    .filter(({ words }) => words[0] === 'global_defs')
    .flatMap(({ children }) => children);
  return {
    instances: blocks
      .filter(({ words }) => words[0] === 'vrrp_instance')
      .map((block) => instanceOf(block, globals)),
    trackFiles: trackFilesOf(blocks),
    notifyFifo: wordAfter(globals, 'vrrp_notify_fifo') ?? wordAfter(globals, 'notify_fifo'),
  };
}

function instanceOf({ words, children }: Block, globals: readonly Block[]): WatchedInstance {
  const device = wordAfter(children, 'interface') ?? '';
  const id = numberAfter(children, 'virtual_router_id', 0);
  const addresses = children
    .filter(({ words: [key] }) => key === 'virtual_ipaddress' || key === 'virtual_ipaddress_excluded')
    .flatMap((block) => block.children);
  return {
    name: words[1] ?? '',
    virtualRouterId: id > 0 ? id : undefined,
    peers: namesIn(children, 'unicast_peer'),
    vips: addresses.flatMap(({ words: line }) => addressOf(line, device)),
    masterDownMs: masterDownMs(children, globals),
  };
}

/** The track files with the instances that use them, directly or through their sync group. */
function trackFilesOf(blocks: readonly Block[]): readonly TrackedFile[] {
  const users = blocks.flatMap(({ words: [what, name = ''], children }) => {
    const tracked = namesIn(children, 'track_file');
    if (what === 'vrrp_instance') return [{ tracked, instances: [name] }];
    return what === 'vrrp_sync_group' ? [{ tracked, instances: namesIn(children, 'group') }] : [];
  });
  return blocks.flatMap(({ words: [what, name = ''], children }) => {
    const path = wordAfter(children, 'file');
    if ((what !== 'track_file' && what !== 'vrrp_track_file') || path === undefined) return [];
    const instances = users.flatMap((user) => (user.tracked.includes(name) ? user.instances : []));
    return [{ path, instances: [...new Set(instances)] }];
  });
}

/** A line of `virtual_ipaddress`: `10.0.0.5/32 dev eth1 label vip`. */
function addressOf(line: readonly string[], device: string): readonly HeldAddress[] {
  const [address = '', length] = (line[0] ?? '').split('/');
  const family = isIP(address);
  if (family === 0) return [];
  const at = line.indexOf('dev');
  return [
    {
      address: family === 4 ? address : new SocketAddress({ address, family: 'ipv6' }).address,
      prefixLength: numberIn(length, family === 4 ? 32 : 128),
      interface: (at === -1 ? undefined : line[at + 1]) ?? device,
    },
  ];
}

/** RFC 5798: the master-down interval and at most one more interval of skew. keepalived's defaults: three adverts of a second. */
function masterDownMs(children: readonly Block[], globals: readonly Block[]): number {
  const adverts = numberAfter(globals, 'vrrp_down_timer_adverts', 3);
  const intervals = numberAfter(children, 'down_timer_adverts', adverts) + 1;
  return numberAfter(children, 'advert_int', 1) * 1_000 * intervals + MASTER_DOWN_MARGIN_MS;
}

/**
 * Marks a copy of the configuration with its number. keepalived does not report a completed reload, and its dump (SIGUSR1) omits most
 * settings. The dump does contain the SMTP HELO name, which is otherwise unused: a keepalived that shows number N has read copy N.
 */
export function markConfiguration(text: string, number: number): string {
  const own = [
    `    smtp_helo_name hawser-${number}`,
    ...(text.includes('min_auto_priority_delay')
      ? []
      : [`    min_auto_priority_delay ${REPORT_LATE_AFTER_US}`]),
  ];
  return `${text}\n${MARK_COMMENT}\nglobal_defs {\n${own.join('\n')}\n}\n`;
}

const MARK_COMMENT =
  '# Added by hawser keepalived supervise: its dump shows which copy keepalived runs on, and it says when it is late.';
/**
 * How late a timer must be before keepalived logs it. The default of a second is as long as three take-overs. keepalived also raises its
 * own priority then, if `max_auto_priority` permits that. A configuration that sets the option keeps its value.
 */
const REPORT_LATE_AFTER_US = 100_000;
const MARK =
  /\n# Added by hawser [^\n]*\nglobal_defs \{\n {4}smtp_helo_name hawser-(\d+)\n(?: {4}min_auto_priority_delay \d+\n)?\}\n$/;

/** The name of the accepted copy in the run directory, which keepalived reads. */
export const ACCEPTED_FILE = 'keepalived.accepted.conf';
/** The last configuration with which keepalived has run. */
export const LAST_GOOD_FILE = 'keepalived.last-good.conf';

/** Reads and parses a marked copy. Undefined if there is no copy, or if it is not marked. */
export function readAccepted(path: string): AcceptedConfiguration | undefined {
  const text = readText(path);
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  return describeConfiguration(text.slice(0, mark.index), Number(mark[1]));
}

export function describeConfiguration(text: string, number: number): AcceptedConfiguration {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { number, sha256, ...parseConfiguration(text) };
}
