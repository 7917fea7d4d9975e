import type { Before, ParticipationNote } from '../../../src/keepalived/participation-note.ts';
import { NODE_LIST_PATIENCE_MS, standIn } from '../../../src/keepalived/stand-in.ts';
import { TRACK } from '../../../src/keepalived/track-value.ts';
import {
  type GoneNodes,
  nextGone,
  nextListFact,
  peersToServe,
} from '../../../src/vip/participation/listed-nodes.ts';
import {
  type ListFact,
  nextBefore,
  notedUntil,
  type ParticipationFacts,
  participation,
} from '../../../src/vip/participation/participation.ts';
import {
  initialVipUse,
  nextVipUse,
  notYetKnown,
  segmentOf,
  type VipUseState,
} from '../../../src/vip/segment/segment-state.ts';

/** One step of the simulation. Three are about VRRP's 0.3 s. */
const TICK_MS = 100;
const MASTER_DOWN_TICKS = 3;
const ROUND_TICKS = 5;
const SILENT_AFTER_MS = 3_000;

type Names = readonly string[];
type Note = Pick<ParticipationNote, 'before' | 'state' | 'until'>;

interface SimulatedMonitor {
  readonly startedAt: number;
  before: Before;
  list: ListFact;
  /** The settled list, of this run or the previous one. */
  wanted: Names | undefined;
  heardAt: number;
  heard: Names | undefined;
  gone: GoneNodes;
  last: Names;
  use: VipUseState;
}

/** `disk` survives a reboot; `note` and `value` do not. */
export interface SimulatedHost {
  readonly name: string;
  /** How long it takes to see and apply a changed list. */
  readonly delayMs: number;
  isOn: boolean;
  monitor: SimulatedMonitor | undefined;
  disk: { list: Names | undefined; configuration: Names | undefined };
  note: Note | undefined;
  value: number;
  writtenAt: number;
  vrrp: 'off' | 'FAULT' | 'BACKUP' | 'MASTER';
  peers: Names;
  silentTicks: number;
  /** Its last decision. */
  decided: string;
}

export interface SimulatedWorld {
  readonly hosts: readonly SimulatedHost[];
  now: number;
  members: Names;
  membersSince: number;
  isApiUp: boolean;
  /** Hosts with the same number hear each other. */
  sides: ReadonlyMap<string, number>;
}

const nodesOf = (names: Names) => names.map((name) => ({ name, addresses: [name] }));
const rank = (name: string): number => 220 - name.charCodeAt(0);

/** Nodes of an existing cluster, all admitted; the first is the holder. */
export function openWorld(delays: readonly number[]): SimulatedWorld {
  const names = delays.map((_, index) => String.fromCharCode(97 + index));
  const hosts = delays.map((delayMs, index): SimulatedHost => {
    const name = names[index] ?? '';
    return {
      name,
      delayMs,
      isOn: true,
      monitor: undefined,
      decided: 'in',
      disk: { list: names, configuration: names },
      note: { before: 'admitted', state: 'in', until: null },
      value: index === 0 ? TRACK.healthyHolder : TRACK.healthy,
      writtenAt: 0,
      vrrp: index === 0 ? 'MASTER' : 'BACKUP',
      peers: names.filter((each) => each !== name),
      silentTicks: 0,
    };
  });
  const world = { hosts, now: 0, members: names, membersSince: 0, isApiUp: true, sides: new Map() };
  for (const host of hosts) startMonitor(world, host);
  return world;
}

export function startMonitor(world: SimulatedWorld, host: SimulatedHost): void {
  if (!host.isOn || host.monitor !== undefined) return;
  host.monitor = {
    startedAt: world.now,
    before: host.note?.before ?? 'nothing',
    list: { kind: 'none' },
    wanted: host.disk.list,
    heard: undefined,
    heardAt: world.now,
    gone: new Map(),
    last: host.disk.list ?? [],
    use: initialVipUse,
  };
}

export function powerOff(host: SimulatedHost): void {
  Object.assign(host, { isOn: false, monitor: undefined, note: undefined, vrrp: 'off', decided: 'off' });
}

/** A node that was installed just now: it has neither a list nor a configuration. */
export function reinstall(host: SimulatedHost): void {
  powerOff(host);
  host.disk = { list: undefined, configuration: undefined };
}

/** keepalived starts with the old configuration; the monitor is started separately. */
export function powerOn(world: SimulatedWorld, host: SimulatedHost): void {
  if (host.isOn) return;
  const peers = host.disk.configuration?.filter((name) => name !== host.name) ?? [];
  const vrrp = host.disk.configuration === undefined ? 'off' : 'FAULT';
  Object.assign(host, { isOn: true, value: TRACK.fault, writtenAt: world.now, vrrp, peers, silentTicks: 0 });
}

export function holdersOf(world: SimulatedWorld): readonly SimulatedHost[] {
  return world.hosts.filter(({ vrrp }) => vrrp === 'MASTER');
}

const hears = (world: SimulatedWorld, a: SimulatedHost, b: SimulatedHost): boolean =>
  a.isOn && b.isOn && (world.sides.get(a.name) ?? 0) === (world.sides.get(b.name) ?? 0);

/** A tenth of a second: adverts, then rounds on the segment, then decisions. */
export function step(world: SimulatedWorld): void {
  world.now += TICK_MS;
  const masters = holdersOf(world);
  for (const host of world.hosts) if (host.isOn) elect(world, host, masters);
  for (const host of world.hosts) {
    if (host.monitor === undefined) superviseAlone(world, host);
    else if (host.isOn) decide(world, host, host.monitor, masters);
  }
}

function elect(world: SimulatedWorld, host: SimulatedHost, masters: readonly SimulatedHost[]): void {
  if (host.vrrp === 'off') return;
  if (host.value <= TRACK.fault) {
    host.vrrp = 'FAULT';
    host.silentTicks = 0;
    return;
  }
  const worth = (each: SimulatedHost): number => rank(each.name) + each.value;
  const adverts = masters.filter(
    (each) =>
      each !== host &&
      hears(world, each, host) &&
      each.peers.includes(host.name) &&
      host.peers.includes(each.name),
  );
  const isOutranked = adverts.some((each) => worth(each) >= worth(host));
  host.silentTicks = isOutranked ? 0 : host.silentTicks + 1;
  if (host.vrrp === 'FAULT') host.silentTicks = 0;
  if (host.vrrp === 'MASTER') host.vrrp = isOutranked ? 'BACKUP' : 'MASTER';
  else host.vrrp = host.silentTicks >= MASTER_DOWN_TICKS ? 'MASTER' : 'BACKUP';
}

function superviseAlone(world: SimulatedWorld, host: SimulatedHost): void {
  if (!host.isOn || host.vrrp === 'off') return;
  const patienceMs = host.value <= TRACK.fault ? NODE_LIST_PATIENCE_MS : SILENT_AFTER_MS;
  if (world.now - host.writtenAt < patienceMs) return;
  const at = { holder: host.vrrp === 'MASTER', healthy: true, nowMs: world.now };
  host.value = standIn(host.note, host.value, at);
}

function decide(
  world: SimulatedWorld,
  host: SimulatedHost,
  monitor: SimulatedMonitor,
  masters: readonly SimulatedHost[],
): void {
  const { now } = world;
  if (world.isApiUp && now - Math.max(world.membersSince, monitor.startedAt) >= host.delayMs)
    monitor.heard = world.members;
  if (monitor.heard !== undefined && monitor.heard !== monitor.wanted) monitor.wanted = monitor.heard;
  const listed = monitor.wanted ?? [];
  const names = listed.includes(host.name) || listed.length === 0 ? 'us' : 'others';
  const sameAsLastRun = host.disk.list?.join() === listed.join();
  const standings = [monitor.heard === undefined ? 'none' : 'accepted'] as const;
  monitor.list = nextListFact(monitor.list, { standings, names, sameAsLastRun }, now);
  const isRemoved = monitor.list.kind === 'accepted' && monitor.list.names === 'others';
  if (isRemoved) host.disk.configuration = undefined;
  else if (listed.includes(host.name)) serve(host, monitor, listed, now);
  if (monitor.list.kind === 'accepted') host.disk.list = listed;
  if (now % (ROUND_TICKS * TICK_MS) === 0) askSegment(world, host, monitor, masters);
  const facts: ParticipationFacts = {
    startedAt: monitor.startedAt,
    before: monitor.before,
    list: monitor.list,
    applied: monitor.list.kind === 'accepted' && !isRemoved,
    segment: host.vrrp === 'off' ? notYetKnown(now) : segmentOf(monitor.use, now, 300),
    routerId: { kind: 'free' },
    sourceAddress: 'present',
    peers: allBack(world, host),
  };
  const decided = participation(facts, now);
  monitor.before = nextBefore(monitor.before, decided);
  host.decided = decided.state;
  const until = notedUntil(decided, facts);
  const hasStoodIn = host.note === undefined && decided.state === 'waiting' && host.value > TRACK.fault;
  if (hasStoodIn && monitor.before === 'nothing') return;
  host.note = { before: monitor.before, state: decided.state, until };
  const healthy = host.vrrp === 'MASTER' ? TRACK.healthyHolder : TRACK.healthy;
  Object.assign(host, { value: decided.state === 'in' ? healthy : TRACK.fault, writtenAt: now });
}

function serve(host: SimulatedHost, monitor: SimulatedMonitor, listed: Names, now: number): void {
  monitor.gone = nextGone(monitor.gone, nodesOf(monitor.last), nodesOf(listed), now);
  monitor.last = listed;
  const served = peersToServe(nodesOf(listed), monitor.gone).map(({ name }) => name);
  host.disk.configuration = served;
  host.peers = served.filter((name) => name !== host.name);
  if (host.vrrp === 'off') host.vrrp = 'FAULT';
}

function askSegment(
  world: SimulatedWorld,
  host: SimulatedHost,
  monitor: SimulatedMonitor,
  masters: readonly SimulatedHost[],
): void {
  const others = masters.filter((each) => each !== host && hears(world, each, host));
  monitor.use = nextVipUse(monitor.use, {
    isAnswered: others.length > 0,
    isAdvertised: others.some((each) => each.peers.includes(host.name)),
    masterDownMs: 300,
    nowMs: world.now,
  });
}

/** No API server runs anywhere, and every node that its configuration names answers. */
function allBack(world: SimulatedWorld, host: SimulatedHost): ParticipationFacts['peers'] {
  const isBack = host.peers.every((name) =>
    world.hosts.some((each) => each.name === name && hears(world, each, host)),
  );
  return !world.isApiUp && host.peers.length > 0 && isBack ? 'all-back-without-api' : 'unknown';
}
