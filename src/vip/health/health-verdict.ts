import type { HealthAnswer } from '../../engine/system/network/ask-health.ts';
import type { Liveness } from '../../engine/system/network/watch-liveness.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Participation } from '../../keepalived/participation-note.ts';
import {
  type Addend,
  type OrderEffect,
  pointsOf,
  serverOf,
  TRACK,
  type TrackHealth,
  trackAddends,
} from '../../keepalived/track-value.ts';
import { initialHolding, type LocalVrrpRole, nextHolding } from '../group/local-vrrp-role.ts';
import { participationText } from '../participation/participation.ts';
import {
  type KeepalivedMonitorStatus,
  LOCAL_API_CHECK,
  PEERS_CHECK,
} from '../settings/keepalived-monitor-status.ts';
import { type CheckSample, explainFlap, type FlapState, initialFlap, nextFlap } from './flap-governor.ts';
import type { HealthSource, PeersReading } from './health-sources.ts';

/** The health of one kind of VIP on this node: takes observations, and gives the value of the track file. */
export interface HealthVerdict {
  readonly live: (liveness: Liveness) => void;
  /** Takes one answer of the server, for the explanation only; `live` decides what it means. */
  readonly polled: (answer: HealthAnswer) => void;
  readonly onLocalApiProbe: (answer: HealthAnswer) => void;
  readonly peers: (peers: PeersReading) => void;
  /** Takes another sample: a damped check is trusted again only after several good samples. */
  readonly look: () => void;
  /**
   * Makes a new decision, which also advances an order. The methods below read the last decision and change nothing.
   */
  readonly value: () => number;
  readonly isWell: () => boolean;
  /** At least one check has been made. Until then a restarted monitor knows less than its predecessor. */
  readonly isKnown: () => boolean;
  /** What the value comes from, with the message of the failing check. */
  readonly explanation: () => string;
  readonly view: () => {
    readonly holder: boolean;
    readonly addends: readonly Addend[];
    readonly checks: readonly CheckRow[];
  };
}

interface VerdictOptions extends Pick<HealthSource, 'kind' | 'url' | 'peersAreOpen'> {
  /** keepalived's role on this node in the instances of these VIPs. */
  readonly localRole: () => LocalVrrpRole;
  /** The last decision: FAULT unless `in`. */
  readonly participation: () => Participation;
  /** See `TrackHealth.priority`. */
  readonly priority: () => number | undefined;
  /** What an operator has ordered, for a node that does or does not hold the VIPs. */
  readonly order: (holds: boolean) => OrderEffect;
}

export function createHealthVerdict(options: VerdictOptions): HealthVerdict {
  const { kind, url } = options;
  const server = serverOf[kind];
  const question = url?.path ?? '';
  const localApi = kind === 'api' ? [LOCAL_API_CHECK] : [];
  const seen = createSightings(url === undefined ? [] : [server, question, ...localApi, PEERS_CHECK]);
  let liveness: Liveness = 'unknown';
  let flap = initialFlap;
  let localApiServes = false;
  let peersServe = true;
  let peersCount = options.peersAreOpen;
  let holding = initialHolding;
  const holds = (): boolean => {
    holding = nextHolding(holding, options.localRole(), monotonicMs());
    return holding.kind === 'held';
  };
  const sample = (): void => {
    const found = sampleOf(liveness);
    if (found !== undefined) flap = nextFlap(flap, found, holds(), monotonicMs());
  };
  const health = (): TrackHealth => {
    const holder = holds();
    return {
      kind,
      localApiServes,
      holder,
      service: url === undefined ? 'unchecked' : flap.verdict,
      failedForMs: flap.verdict === 'failed' ? monotonicMs() - flap.sinceMs : 0,
      everyoneFailing: flap.verdict === 'failed' && !localApiServes && !peersServe,
      order: options.order(holder),
      priority: options.priority(),
    };
  };
  let decided = health();
  const look = (): void => {
    sample();
    decided = health();
  };
  const outText = (): string => participationText(options.participation(), monotonicMs(), Date.now());
  const addends = (): readonly Addend[] =>
    options.participation().state === 'in'
      ? trackAddends(decided)
      : [{ points: TRACK.fault, why: outText() }];
  /** Rows for state that no answer shows. */
  const ownRows = (): readonly CheckRow[] => [
    dampingRow(flap),
    rowOf('participation', PARTICIPATION_ROWS[options.participation().state], outText()),
  ];
  return {
    live: (next) => {
      liveness = next;
      seen.note(server, ...livenessWords(next, `${url?.host}:${url?.port}`));
      look();
    },
    polled: ({ ok, said }) => seen.note(question, ok ? 'ok' : 'failed', said),
    onLocalApiProbe: ({ ok, said }) => {
      localApiServes = ok;
      seen.note(LOCAL_API_CHECK, ok ? 'ok' : 'failed', said);
    },
    peers: (peers) => {
      const someServe = peers.serving.length > 0;
      peersCount ||= someServe;
      peersServe = someServe || !peersCount;
      seen.note(PEERS_CHECK, ...peersWords(peers));
    },
    look,
    value: () => {
      decided = health();
      return pointsOf(addends());
    },
    isWell: () => url === undefined || flap.verdict === 'ok',
    isKnown: () => url === undefined || flap.verdict !== 'unknown',
    explanation: () => {
      const [verdict, ...others] = addends().map(({ why }) => why);
      if (options.participation().state !== 'in') return verdict ?? '';
      const failing = [seen.row(server), seen.row(question)].find(({ state }) => state === 'failed');
      const detail = flap.verdict === 'failed' ? failing?.message : explainFlap(flap, monotonicMs());
      return [detail === undefined ? verdict : `${verdict} (${detail})`, ...others].join('; ');
    },
    view: () => ({
      holder: decided.holder,
      addends: addends(),
      checks: [...seen.rows(), ...ownRows()],
    }),
  };
}

/** A hang, or an error, is confirmed by two samples before it is reported, so it is as certain as a death. */
function sampleOf(liveness: Liveness): CheckSample | undefined {
  switch (liveness) {
    case 'unknown':
      return undefined;
    case 'serving':
      return { kind: 'ok' };
    case 'dead':
    case 'hung':
    case 'unready':
      return { kind: 'failed', certain: true };
  }
}

function livenessWords(liveness: Liveness, place: string): readonly [CheckRow['state'], string] {
  switch (liveness) {
    case 'unknown':
      return ['unknown', 'not checked yet'];
    case 'serving':
      return ['ok', `alive, connected to ${place}`];
    case 'dead':
      return ['failed', `dead, nothing listens on ${place}`];
    case 'hung':
      return ['failed', `hung, ${place} accepts and does not answer`];
    case 'unready':
      return ['failed', `unready, ${place} answers with an error`];
  }
}

function peersWords({ asked, serving }: PeersReading): readonly [CheckRow['state'], string] {
  if (asked.length === 0) return ['unknown', 'no other nodes'];
  if (serving.length === 0) return ['failed', `none of ${asked.join(', ')} serves`];
  return ['ok', `${serving.join(', ')} could serve`];
}

function dampingRow(flap: FlapState): CheckRow {
  const nowMs = monotonicMs();
  const message = explainFlap(flap, nowMs);
  const sinceMs = Math.round(nowMs - flap.sinceMs);
  if (message === undefined) return rowOf('damping', 'ok', 'none');
  return { check: 'damping', state: flap.verdict === 'doubtful' ? 'doubtful' : 'ok', message, sinceMs };
}

const PARTICIPATION_ROWS: Readonly<Record<Participation['state'], CheckRow['state']>> = {
  in: 'ok',
  waiting: 'doubtful',
  out: 'failed',
};

function rowOf(check: string, state: CheckRow['state'], message: string): CheckRow {
  return { check, state, message, sinceMs: null };
}

export type CheckRow = KeepalivedMonitorStatus['priorities'][number]['checks'][number];

/** The last finding of each check, as text. It decides nothing. */
interface Sightings {
  readonly note: (check: string, state: CheckRow['state'], found: string) => void;
  readonly row: (check: string) => CheckRow;
  readonly rows: () => readonly CheckRow[];
}

/** `checks` lists every check, in display order. */
function createSightings(checks: readonly string[]): Sightings {
  const seen = new Map<string, Pick<CheckRow, 'state' | 'message'> & { readonly atMs: number }>();
  const row = (check: string): CheckRow => {
    const last = seen.get(check);
    if (last === undefined) return rowOf(check, 'unknown', 'not checked yet');
    const { state, message, atMs } = last;
    return { check, state, message, sinceMs: Math.round(monotonicMs() - atMs) };
  };
  return {
    note: (check, state, message) => {
      const last = seen.get(check);
      seen.set(check, { state, message, atMs: last?.state === state ? last.atMs : monotonicMs() });
    },
    row,
    rows: () => checks.map(row),
  };
}
