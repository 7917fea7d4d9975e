import { askHealth, type HealthUrl } from '../../engine/system/network/ask-health.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { type Liveness, type Poll, watchLiveness } from '../../engine/system/network/watch-liveness.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import type { Participation } from '../../keepalived/participation-note.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { VrrpConfiguration } from '../configuration/vrrp-configuration.ts';
import { readLocalVrrpRole } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { VipOrders } from '../orders/vip-orders.ts';
import { createParticipant, type Decided } from '../participation/participant.ts';
import type { RouterIdGuard } from '../segment/router-id-guard.ts';
import type { SegmentWatch } from '../segment/segment-watch.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import {
  allPeersBackWithoutApi,
  askLocalApi,
  type HealthSource,
  instancesOf,
  pollPeers,
} from './health-sources.ts';
import { createHealthVerdict, type HealthVerdict } from './health-verdict.ts';
import { createTrackWriter } from './track-writer.ts';

/** The interval of the verdict while nothing happens. The death of the server is handled at once. */
const SAMPLE_INTERVAL_MS = 200;
const POLL_INTERVAL_MS = 1_000;

export interface HealthLoop {
  readonly kind: VipKind;
  readonly vips: readonly string[];
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly view: () => ReturnType<HealthVerdict['view']> & {
    /** The last value that this monitor wrote to the track file; null before the first. */
    readonly value: number | null;
    readonly participation: Participation;
    /** The operator's order, as text; null without one. */
    readonly order: string | null;
  };
}

/**
 * Reports to keepalived, through a track file, whether this node can serve the VIPs of one kind. The inputs are the liveness of the
 * server in `source`, a local substitute for it, and whether any peer could serve instead. Peers are polled continuously, because
 * their state must be known when this node's server dies: the VIP does not move if no peer is in a better state. The loop never
 * checks the API through HAProxy: an overloaded API would move the VIP and become even more overloaded.
 */
export function createHealthLoop(
  source: HealthSource,
  { stateFile }: Pick<KeepalivedMonitorSettings, 'stateFile'>,
  configuration: Pick<
    VrrpConfiguration,
    'served' | 'list' | 'isListedElsewhere' | 'isApplied' | 'onChange'
  > & {
    /** Used only while this node is not admitted. */
    readonly segment: Pick<SegmentWatch, 'factOf'>;
    readonly guard: Pick<RouterIdGuard, 'fact'>;
    readonly orders: Pick<VipOrders, 'effect' | 'text' | 'onChange'>;
    /**
     * Registers a listener for a transition of keepalived. A new holder must have its bonus before a node with a higher base priority
     * takes the VIP from it.
     */
    readonly onTransition: (listener: () => void) => void;
  },
  observers: KeepalivedMonitorObservers,
): HealthLoop {
  const { served, orders } = configuration;
  const { kind, trackFile, url, apiPort, pollEveryMs, pollTimeoutMs } = source;
  let isGroupBack = false;
  const decide = createParticipant(
    kind,
    trackFile,
    {
      facts: () => ({
        list: configuration.list(),
        applied: configuration.isApplied(),
        routerId: configuration.guard.fact(),
        sourceAddress:
          !configuration.isListedElsewhere() && isAddressed(kind, served()) ? 'present' : 'missing',
        peers: isGroupBack ? 'all-back-without-api' : 'unknown',
      }),
      segment: () => configuration.segment.factOf(kind),
    },
    observers,
  );
  let { participation }: Pick<Decided, 'participation'> = decide();
  const health = createHealthVerdict({
    ...source,
    participation: () => participation,
    localRole: () => readLocalVrrpRole(stateFile, kind, Date.now()),
    priority: () => lowestPriority(kind, served()),
    order: (holds) => orders.effect(kind, holds),
  });
  const track = createTrackWriter(source, observers);
  const why = (): string => {
    const order = orders.text(kind);
    return order === undefined ? health.explanation() : `${health.explanation()}; ${order}`;
  };
  const writeHealth = (): void => {
    const decided = decide();
    participation = decided.participation;
    const value = health.value();
    // FAULT is rewritten too: a file that is not refreshed means that the monitor is dead.
    if (participation.state !== 'in' || health.isKnown()) track.write(value, decided.noted, why);
    source.recordUsable(health.isHealthy());
  };
  configuration.onChange(writeHealth);
  orders.onChange(writeHealth);
  configuration.onTransition(writeHealth);
  const onChange = (liveness: Liveness): void => {
    observers.log({ event: 'haproxy-health-changed', kind, liveness });
    health.live(liveness);
    writeHealth();
  };
  const watchServer = async (checked: HealthUrl, signal: AbortSignal): Promise<void> => {
    const ask = async (bounded: AbortSignal): Promise<Poll> => {
      const answer = await askHealth(checked, pollTimeoutMs, bounded);
      health.polled(answer);
      if (answer.ok) return 'good';
      return answer.status === undefined ? 'silent' : 'bad';
    };
    await watchLiveness({ ...checked, ask, pollEveryMs, pollTimeoutMs, signal, onChange });
  };
  const samplePeers = async (checked: HealthUrl, signal: AbortSignal): Promise<void> => {
    const model = served();
    // Without a model nobody was asked, which is not the same as nobody serving.
    if (model === undefined) return;
    const peers = await pollPeers({ kind, url: checked }, model, signal);
    const serve = peers.serving.length > 0;
    if (!signal.aborted && observers.once.isNew(`peers-${kind}`, String(serve)))
      observers.log({ event: 'peers', kind, serve });
    health.peers(peers);
  };
  return {
    kind,
    vips: source.vips,
    view: () => ({
      ...health.view(),
      value: track.written() ?? null,
      participation,
      order: orders.text(kind) ?? null,
    }),
    run: async (signal) => {
      await Promise.all([
        url && watchServer(url, signal),
        apiPort !== undefined &&
          repeat(POLL_INTERVAL_MS, signal, async () =>
            health.onLocalApiProbe(await askLocalApi(apiPort, served(), signal)),
          ),
        url && repeat(POLL_INTERVAL_MS, signal, () => samplePeers(url, signal)),
        repeat(SAMPLE_INTERVAL_MS, signal, async () => {
          isGroupBack =
            participation.state === 'waiting' && (await allPeersBackWithoutApi(source, served(), signal));
        }),
        repeat(SAMPLE_INTERVAL_MS, signal, async () => {
          health.sample();
          writeHealth();
        }),
      ]);
    },
  };
}

/** Whether this node has every source address of its adverts. True while there is no model. */
function isAddressed(kind: VipKind, model: KeepalivedModel | undefined): boolean {
  const present = presentAddresses();
  return instancesOf(kind, model).every(({ sourceAddress }) => present.has(sourceAddress));
}

function lowestPriority(kind: VipKind, model: KeepalivedModel | undefined): number | undefined {
  const priorities = instancesOf(kind, model).map(({ priority }) => priority);
  return priorities.length === 0 ? undefined : Math.min(...priorities);
}

/** Repeats `task`, with a pause after each run, until `signal` aborts. */
async function repeat(pauseMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await task();
    await sleep(pauseMs, signal);
  }
}
