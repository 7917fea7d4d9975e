import { isIP, SocketAddress } from 'node:net';
import type { HeldAddress, WatchedInstance } from '../model/vip-presence.ts';
import type { AcceptedConfiguration, TrackedFile } from '../model/vrrp-program.ts';

/** Between the moment at which the slowest peer should take over and the one at which it certainly has. */
const TAKE_OVER_MARGIN_MS = 200;

interface Block {
  readonly words: readonly string[];
  readonly children: Block[];
}

/**
 * What a supervisor has to know of a keepalived.conf: the VIPs, where they belong, and how soon a peer takes over. It is
 * read from the same text that keepalived reads, so that the two cannot disagree; `include` is not followed.
 */
export function parseConfiguration(
  text: string,
): Pick<AcceptedConfiguration, 'instances' | 'trackFiles' | 'profile' | 'notifyFifo'> {
  const blocks = parseBlocks(text);
  const globals = blocks
    .filter(({ words }) => words[0] === 'global_defs')
    .flatMap(({ children }) => children);
  return {
    instances: blocks
      .filter(({ words }) => words[0] === 'vrrp_instance')
      .map((block) => instanceOf(block, globals)),
    trackFiles: trackFilesOf(blocks),
    profile: wordAfter(globals, 'vrrp_version') === '2' ? 'openshift' : 'fast',
    notifyFifo: wordAfter(globals, 'vrrp_notify_fifo') ?? wordAfter(globals, 'notify_fifo'),
  };
}

function instanceOf({ words, children }: Block, globals: readonly Block[]): WatchedInstance {
  const device = wordAfter(children, 'interface') ?? '';
  const addresses = children
    .filter(({ words: [key] }) => key === 'virtual_ipaddress' || key === 'virtual_ipaddress_excluded')
    .flatMap((block) => block.children);
  return {
    name: words[1] ?? '',
    vips: addresses.flatMap(({ words: line }) => addressOf(line, device)),
    takeOverMs: takeOverMs(children, globals),
  };
}

/** An instance that is in a group is tracked by what its group names. */
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

/** The first words of the lines in a block such as `track_file { … }`. */
function namesIn(children: readonly Block[], block: string): readonly string[] {
  const lines = children.filter(({ words }) => words[0] === block).flatMap((each) => each.children);
  return lines.flatMap(({ words }) => words[0] ?? []);
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
      prefixLength: length === undefined ? (family === 4 ? 32 : 128) : Number(length),
      interface: (at === -1 ? undefined : line[at + 1]) ?? device,
    },
  ];
}

/** RFC 5798: the master-down interval and at most one more interval of skew. */
function takeOverMs(children: readonly Block[], globals: readonly Block[]): number {
  const intervalMs = Number(wordAfter(children, 'advert_int') ?? '1') * 1_000;
  const adverts = Number(
    wordAfter(children, 'down_timer_adverts') ?? wordAfter(globals, 'vrrp_down_timer_adverts') ?? '3',
  );
  const total = intervalMs * (adverts + 1);
  return (Number.isFinite(total) ? total : 4_000) + TAKE_OVER_MARGIN_MS;
}

function wordAfter(blocks: readonly Block[], key: string): string | undefined {
  return blocks.find(({ words }) => words[0] === key)?.words[1];
}

/** keepalived.conf is read by lines; braces may end one or stand alone. */
function parseBlocks(text: string): readonly Block[] {
  const root: Block[] = [];
  const open: Block[][] = [root];
  for (const line of text.split('\n')) {
    let words: string[] = [];
    let last: Block[] | undefined;
    const flush = (): void => {
      if (words.length === 0) return;
      last = [];
      open.at(-1)?.push({ words, children: last });
      words = [];
    };
    for (const token of tokensOf(line)) {
      if (token === '{') {
        flush();
        open.push(last ?? childrenOfLast(open.at(-1)));
      } else if (token === '}') {
        flush();
        if (open.length > 1) open.pop();
      } else words.push(unquoted(token));
    }
    flush();
  }
  return root;
}

/** A brace on a line of its own belongs to the line before. */
function childrenOfLast(blocks: Block[] | undefined): Block[] {
  const before = blocks?.at(-1);
  return before === undefined ? [] : before.children;
}

function tokensOf(line: string): readonly string[] {
  return line.match(/"[^"]*"|[#!].*|[{}]|[^\s{}"]+/g)?.filter((token) => !/^[#!]/.test(token)) ?? [];
}

function unquoted(token: string): string {
  return token.replace(/^"(.*)"$/, '$1');
}
