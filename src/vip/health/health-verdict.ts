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
import { explainFlap, type FlapState, initialFlap, nextFlap } from './flap-governor.ts';
import type { HealthSource, PeersReading } from './health-sources.ts';

/** The health of one kind of VIP on this node: records observations and computes the value of the track file. */
export interface HealthVerdict {
  /** Records a change of the server's liveness, and samples it. */
  readonly live: (liveness: Liveness) => void;
  /** Records one answer of the server for the explanation only. The verdict depends on `live`. */
  readonly polled: (answer: HealthAnswer) => void;
  readonly onLocalApiProbe: (answer: HealthAnswer) => void;
  readonly peers: (peers: PeersReading) => void;
  /** Samples the liveness again: a damped check recovers only over time. */
  readonly sample: () => void;
  /** Makes a new decision, which also advances an order. The methods below read the last decision and change nothing. */
  readonly value: () => number;
  readonly isHealthy: () => boolean;
  /** True after the first check. Until then a restarted monitor must not overwrite its predecessor's value. */
  readonly isKnown: () => boolean;
  /** The reasons for the value, with the message of the failing check. */
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
  /** The effect of the operator's order, for a node that does or does not hold the VIPs. */
  readonly order: (holds: boolean) => OrderEffect;
}

export function createHealthVerdict(options: VerdictOptions): HealthVerdict {
  const { kind, url } = options;
  const server = serverOf[kind];
  const path = url?.path ?? '';
  const localApi = kind === 'api' ? [LOCAL_API_CHECK] : [];
  const results = createCheckResults(url === undefined ? [] : [server, path, ...localApi, PEERS_CHECK]);
  let serverState: ServerState = 'unknown';
  let flap = initialFlap;
  let localApiServes = false;
  let peersServe = true;
  let peersCount = options.peersAreOpen;
  let holding = initialHolding;
  const holds = (): boolean => {
    holding = nextHolding(holding, options.localRole(), monotonicMs());
    return holding.kind === 'held';
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
  const sample = (): void => {
    if (serverState !== 'unknown') flap = nextFlap(flap, serverState === 'ok', monotonicMs());
    decided = health();
  };
  const outText = (): string => participationText(options.participation(), monotonicMs(), Date.now());
  const addends = (): readonly Addend[] =>
    options.participation().state === 'in'
      ? trackAddends(decided)
      : [{ points: TRACK.fault, why: outText() }];
  /** Rows for state that does not come from a check. */
  const ownRows = (): readonly CheckRow[] => [
    dampingRow(flap),
    rowOf('participation', PARTICIPATION_ROWS[options.participation().state], outText()),
  ];
  return {
    live: (liveness) => {
      const [state, message] = livenessResult(liveness, `${url?.host}:${url?.port}`);
      serverState = state;
      results.record(server, state, message);
      sample();
    },
    polled: ({ ok, detail }) => results.record(path, ok ? 'ok' : 'failed', detail),
    onLocalApiProbe: ({ ok, detail }) => {
      localApiServes = ok;
      results.record(LOCAL_API_CHECK, ok ? 'ok' : 'failed', detail);
    },
    peers: (peers) => {
      const someServe = peers.serving.length > 0;
      peersCount ||= someServe;
      // Peers that do not answer may serve all the same. Without peers nobody does.
      const maySilentServe = peers.asked.length > 0 && !peersCount;
      peersServe = someServe || maySilentServe;
      results.record(PEERS_CHECK, ...peersResult(peers));
    },
    sample,
    value: () => {
      decided = health();
      return pointsOf(addends());
    },
    isHealthy: () => url === undefined || flap.verdict === 'ok',
    isKnown: () => url === undefined || flap.verdict !== 'unknown',
    explanation: () => {
      const [verdict, ...others] = addends().map(({ why }) => why);
      if (options.participation().state !== 'in') return verdict ?? '';
      const failing = [results.row(server), results.row(path)].find(({ state }) => state === 'failed');
      const detail = flap.verdict === 'failed' ? failing?.message : explainFlap(flap, monotonicMs());
      return [detail === undefined ? verdict : `${verdict} (${detail})`, ...others].join('; ');
    },
    view: () => ({
      holder: decided.holder,
      addends: addends(),
      checks: [...results.rows(), ...ownRows()],
    }),
  };
}

type ServerState = 'unknown' | 'ok' | 'failed';

/** `watchLiveness` confirms a hang or an error with a second poll before it reports it, so each counts as much as a death. */
function livenessResult(liveness: Liveness, place: string): readonly [ServerState, string] {
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

function peersResult({ asked, serving }: PeersReading): readonly [CheckRow['state'], string] {
  if (asked.length === 0) return ['unknown', 'no other nodes'];
  if (serving.length === 0) return ['failed', `none of ${asked.join(', ')} serves`];
  return ['ok', `${serving.join(', ')} could serve`];
}

function dampingRow(flap: FlapState): CheckRow {
  const nowMs = monotonicMs();
  const message = explainFlap(flap, nowMs);
  const sinceMs = Math.round(nowMs - flap.sinceMs);
  if (message === undefined) return rowOf('damping', 'ok', 'none');
  return { check: 'damping', state: 'doubtful', message, sinceMs };
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

/** The last result of each check, for display only. */
interface CheckResults {
  readonly record: (check: string, state: CheckRow['state'], message: string) => void;
  readonly row: (check: string) => CheckRow;
  readonly rows: () => readonly CheckRow[];
}

/** `checks` lists every check, in display order. */
function createCheckResults(checks: readonly string[]): CheckResults {
  const results = new Map<string, Pick<CheckRow, 'state' | 'message'> & { readonly atMs: number }>();
  const row = (check: string): CheckRow => {
    const last = results.get(check);
    if (last === undefined) return rowOf(check, 'unknown', 'not checked yet');
    const { state, message, atMs } = last;
    return { check, state, message, sinceMs: Math.round(monotonicMs() - atMs) };
  };
  return {
    record: (check, state, message) => {
      const last = results.get(check);
      results.set(check, { state, message, atMs: last?.state === state ? last.atMs : monotonicMs() });
    },
    row,
    rows: () => checks.map(row),
  };
}
