import * as z from 'zod/mini';
import { isInSubnet, parseAddress } from '../../model/node-address.ts';

/** A packet as far as it is known; an undefined field makes a rule that asks for it undecided. */
export interface Packet {
  readonly family: 'ip' | 'ip6';
  readonly protocol: number;
  readonly source: string | undefined;
  readonly destination: string | undefined;
  readonly device: string | undefined;
}

/** One rule's expressions, as `nft -j` prints them. */
export type Statements = readonly Readonly<Record<string, unknown>>[];

export type Truth = 'yes' | 'no' | 'maybe';

/** Statements that neither ask nor decide. */
const indifferent = new Set([
  'counter',
  'log',
  'accept',
  'drop',
  'reject',
  'return',
  'jump',
  'goto',
  'comment',
  'meter',
]);

/** Whether a rule is about this packet: all of its matches have to be. */
export function matches(statements: Statements, packet: Packet): Truth {
  const truths = statements.flatMap((each): readonly Truth[] => {
    if ('match' in each) return [matchOf(each['match'], packet)];
    if (isHarmlessExtension(each['xt'])) return [];
    return Object.keys(each).every((key) => indifferent.has(key)) ? [] : ['maybe'];
  });
  if (truths.includes('no')) return 'no';
  return truths.includes('maybe') ? 'maybe' : 'yes';
}

/** What iptables' compatibility layer shows of its extensions: their names. */
const extension = z.object({ type: z.string(), name: z.string() });

/** A comment asks for nothing, and a target decides without asking. */
function isHarmlessExtension(value: unknown): boolean {
  const { data } = extension.safeParse(value);
  return data?.name === 'comment' || data?.type === 'target';
}

/** Whether a rule's statement is the `REJECT` of iptables. */
export function isRejecting(value: unknown): boolean {
  const { data } = extension.safeParse(value);
  return data?.type === 'target' && data.name === 'REJECT';
}

const match = z.object({ op: z.string(), left: z.unknown(), right: z.unknown() });
const payload = z.object({ payload: z.object({ protocol: z.string(), field: z.string() }) });
const meta = z.object({ meta: z.object({ key: z.string() }) });
const ct = z.object({ ct: z.object({ key: z.string() }) });

function matchOf(value: unknown, packet: Packet): Truth {
  const parsed = match.safeParse(value);
  if (!parsed.success) return 'maybe';
  const { op, left, right } = parsed.data;
  const actual = fieldOf(left, packet);
  if (actual === 'not-this-packet') return op === '!=' ? 'maybe' : 'no';
  if (actual === undefined) return 'maybe';
  const truth = actual.reduce<Truth>((best, each) => better(best, equals(each, right)), 'no');
  if (op === '!=') return truth === 'maybe' ? 'maybe' : truth === 'yes' ? 'no' : 'yes';
  return op === '==' || op === 'in' ? truth : 'maybe';
}

function better(a: Truth, b: Truth): Truth {
  return a === 'yes' || b === 'yes' ? 'yes' : a === 'maybe' || b === 'maybe' ? 'maybe' : 'no';
}

/** The values that a field of this packet has: a protocol has a name and a number. */
function fieldOf(
  left: unknown,
  packet: Packet,
): readonly (string | number)[] | 'not-this-packet' | undefined {
  const header = payload.safeParse(left);
  if (header.success) return headerOf(header.data.payload, packet);
  const about = meta.safeParse(left);
  if (about.success) return metaOf(about.data.meta.key, packet);
  const state = ct.safeParse(left);
  // The kernel tracks VRRP as a flow without an end: new at first, never a reply.
  return state.success && state.data.ct.key === 'state' ? ['new', 'untracked'] : undefined;
}

function headerOf(
  { protocol, field }: { readonly protocol: string; readonly field: string },
  packet: Packet,
): readonly (string | number)[] | 'not-this-packet' | undefined {
  if (['tcp', 'udp', 'th', 'icmp', 'icmpv6', 'sctp', 'udplite', 'dccp'].includes(protocol))
    return 'not-this-packet';
  if (protocol !== packet.family)
    return protocol === 'ip' || protocol === 'ip6' ? 'not-this-packet' : undefined;
  const known = { saddr: packet.source, daddr: packet.destination };
  if (field === 'protocol' || field === 'nexthdr') return [packet.protocol, 'vrrp'];
  const found = field === 'saddr' || field === 'daddr' ? known[field] : undefined;
  return found === undefined ? undefined : [found];
}

function metaOf(key: string, packet: Packet): readonly (string | number)[] | undefined {
  if (key === 'l4proto') return [packet.protocol, 'vrrp'];
  if (key === 'iifname' || key === 'oifname')
    return packet.device === undefined ? undefined : [packet.device];
  return key === 'nfproto' ? [packet.family === 'ip' ? 'ipv4' : 'ipv6'] : undefined;
}

const prefix = z.object({ prefix: z.object({ addr: z.string(), len: z.number() }) });
const range = z.object({
  range: z.tuple([z.union([z.string(), z.number()]), z.union([z.string(), z.number()])]),
});
const set = z.object({ set: z.array(z.unknown()) });

function equals(actual: string | number, right: unknown): Truth {
  if (typeof right === 'string' && right.startsWith('@')) return 'maybe';
  if (typeof right === 'string' || typeof right === 'number') return sameText(actual, right) ? 'yes' : 'no';
  const list = Array.isArray(right) ? right : set.safeParse(right).data?.set;
  if (list !== undefined) return list.reduce<Truth>((best, each) => better(best, equals(actual, each)), 'no');
  const subnet = prefix.safeParse(right);
  if (subnet.success) return isWithin(String(actual), subnet.data.prefix) ? 'yes' : 'no';
  const between = range.safeParse(right);
  if (between.success && typeof actual === 'number') {
    const [from, to] = between.data.range;
    return typeof from === 'number' && typeof to === 'number' && actual >= from && actual <= to
      ? 'yes'
      : 'no';
  }
  return 'maybe';
}

function sameText(actual: string | number, wanted: string | number): boolean {
  const text = String(wanted);
  return text.endsWith('*') ? String(actual).startsWith(text.slice(0, -1)) : String(actual) === text;
}

function isWithin(address: string, { addr, len }: { readonly addr: string; readonly len: number }): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isInSubnet(parsed, `${addr}/${len}`);
}
