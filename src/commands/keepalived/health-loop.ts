import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { KeepalivedMonitorSettings } from '../../config/keepalived-monitor-settings.ts';
import { askReadiness, type Liveness, watchLiveness } from '../../haproxy/liveness-watch.ts';
import { readPart } from '../../keepalived/part.ts';
import { hasSpoken } from '../../keepalived/track-file.ts';
import { messageOf } from '../../model/errors.ts';
import { type CheckSample, explainFlap, initialFlap, nextFlap } from '../../model/flap-governor.ts';
import { trackValue } from '../../model/track-value.ts';
import type { KeepalivedModel } from '../../model/vrrp.ts';
import { initialBootstrap, nextBootstrap } from '../../model/vrrp-bootstrap.ts';
import { initialHolding, nextHolding } from '../../model/vrrp-holding.ts';
import { probeReadyz } from '../../sources/probe-readyz.ts';
import { presentAddresses } from '../../system/interface-addresses.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Observers } from '../monitor/observers.ts';
import type { VrrpConfiguration } from './vrrp-configuration.ts';

/** How often the verdict is looked at when nothing has happened; a death does not wait for it. */
const LOOK_EVERY_MS = 200;
/** How often the file is written though nothing has changed: the supervisor takes 3 s of silence for a dead monitor. */
const REFRESH_EVERY_MS = 500;
const ASK_EVERY_MS = 1_000;
const PEER_TIMEOUT_MS = 400;
/**
 * A node that comes back with its old keepalived.conf must not take part before its monitor knows who else does. It
 * speaks up after so long all the same: a node with an old list is better than no VIP.
 */
const JOIN_PATIENCE_MS = 10_000;

/**
 * Tells keepalived, by its track file, whether this node can serve: from the life of HAProxy on this node, the local
 * API server's `/readyz`, and whether any peer could serve instead. The peers are asked all the time, because the
 * answer must be there when this node's HAProxy dies: where nobody is better off, nothing moves. Never looks at the API through
 * HAProxy: an overloaded API would move the VIP and deepen the overload.
 */
export async function runHealthLoop(
  settings: KeepalivedMonitorSettings,
  configuration: Pick<VrrpConfiguration, Served | 'isConfirmed' | 'onOffer'> & {
    /** Another node holds the VIP and stays. */
    readonly mustLeave: () => boolean;
  },
  observers: Observers,
  signal: AbortSignal,
): Promise<void> {
  const { served, mustLeave } = configuration;
  const health = createHealth(settings, configuration, mustLeave);
  const maySpeak = createPermission(settings.trackFile, configuration.isConfirmed);
  const write = createWriter(settings.trackFile, observers);
  const tell = async (): Promise<void> => {
    observers.metrics.usable(health.isWell());
    if (health.isKnown() && maySpeak()) await write(health.value(), health.explanation());
  };
  configuration.onOffer(tell);
  const onChange = (liveness: Liveness): void => {
    observers.log({ event: 'haproxy-liveness', liveness });
    health.live(liveness);
    void tell();
  };
  const watching = watchLiveness({ port: settings.healthPort, signal, onChange });
  const asking = every(ASK_EVERY_MS, signal, async () =>
    health.api(await askLocalApi(settings, served(), signal)),
  );
  const askingPeers = every(ASK_EVERY_MS, signal, async () =>
    health.peers(await somePeerServes(settings, served(), signal)),
  );
  const looking = every(LOOK_EVERY_MS, signal, async () => {
    health.look();
    void tell();
  });
  await Promise.all([watching, asking, askingPeers, looking]);
}

/**
 * Nobody has spoken for this node since its boot: keepalived is in FAULT until it hears of us, and that lasts until the
 * configuration is known to be the group's. A monitor that was only restarted goes on where it was.
 */
function createPermission(trackFile: string, isConfirmed: () => boolean): () => boolean {
  const startedMs = monotonicMs();
  let isGiven = hasSpoken(trackFile);
  return () => {
    isGiven ||= isConfirmed() || monotonicMs() - startedMs >= JOIN_PATIENCE_MS;
    return isGiven;
  };
}

interface Health {
  readonly live: (liveness: Liveness) => void;
  readonly api: (ready: boolean) => void;
  /** Whether any peer's HAProxy answers. */
  readonly peers: (someServes: boolean) => void;
  /** Samples once more: a damped check is trusted again only after further good looks. */
  readonly look: () => void;
  readonly value: () => number;
  readonly isWell: () => boolean;
  /** HAProxy has been looked at. Until then a monitor that was only restarted knows less than the one before it. */
  readonly isKnown: () => boolean;
  readonly explanation: () => string | undefined;
}

type Served = 'profile' | 'instanceNames' | 'served';

function createHealth(
  settings: KeepalivedMonitorSettings,
  configuration: Pick<VrrpConfiguration, Served>,
  mustLeave: () => boolean,
): Health {
  let liveness: Liveness = 'unknown';
  let flap = initialFlap;
  let bootstrap = initialBootstrap;
  let localApi = false;
  let peersServe = true;
  let holding = initialHolding;
  const holds = (): boolean => {
    const part = readPart(settings.stateFile, configuration.instanceNames(), Date.now());
    holding = nextHolding(holding, part, monotonicMs());
    return holding.kind === 'held';
  };
  const sample = (): void => {
    const seen = sampleOf(liveness);
    if (seen !== undefined) flap = nextFlap(flap, seen, holds(), monotonicMs());
  };
  return {
    live: (next) => {
      liveness = next;
      sample();
    },
    api: (ready) => {
      localApi = ready;
      if (settings.bootstrap) bootstrap = nextBootstrap(bootstrap, ready);
    },
    peers: (someServes) => {
      peersServe = someServes;
    },
    look: sample,
    value: () =>
      trackValue({
        profile: configuration.profile() ?? settings.profile,
        lb: flap.verdict,
        failedForMs: flap.verdict === 'failed' ? monotonicMs() - flap.sinceMs : 0,
        localApi,
        holder: holds(),
        everyoneFailing: flap.verdict === 'failed' && !localApi && !peersServe,
        resigned: bootstrap.resigned || mustLeave(),
        addressed: hasAddresses(configuration.served()),
      }),
    isWell: () => flap.verdict === 'ok',
    isKnown: () => flap.verdict !== 'unknown',
    explanation: () => explainFlap(flap, monotonicMs()),
  };
}

/** All that its adverts come from. True while they are not known. */
function hasAddresses(model: KeepalivedModel | undefined): boolean {
  const present = presentAddresses();
  return model?.instances.every(({ sourceAddress }) => present.has(sourceAddress)) ?? true;
}

/** A hang has been seen twice before it is told, so it is as certain as a death. */
function sampleOf(liveness: Liveness): CheckSample | undefined {
  switch (liveness) {
    case 'unknown':
      return undefined;
    case 'serving':
      return { kind: 'ok' };
    case 'dead':
    case 'hung':
      return { kind: 'failed', certain: true };
  }
}

async function somePeerServes(
  settings: KeepalivedMonitorSettings,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const peers = new Set(model?.instances.flatMap((each) => each.peers.map(({ address }) => address)) ?? []);
  const answers = await Promise.all(
    [...peers].map((host) =>
      askReadiness({ port: settings.healthPort, host, timeoutMs: PEER_TIMEOUT_MS }, signal),
    ),
  );
  return answers.includes(true);
}

/** On this node's own address once it is known: an API server need not listen on loopback. */
function askLocalApi(
  { apiPort }: KeepalivedMonitorSettings,
  model: KeepalivedModel | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const address = model?.instances[0]?.sourceAddress ?? '127.0.0.1';
  return probeReadyz({ name: 'local', address, port: apiPort }, { timeoutMs: ASK_EVERY_MS, signal });
}

/** Again and again, with a pause after each, until `signal` aborts. */
async function every(pauseMs: number, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Writes at each change and every half second. In place: keepalived watches the file that it has opened. */
function createWriter(
  path: string,
  { log, once }: Observers,
): (value: number, why: string | undefined) => Promise<void> {
  let last: { readonly value: number; readonly at: number } | undefined;
  let writing: Promise<void> = Promise.resolve();
  const failed = (error: unknown): void => {
    const message = messageOf(error);
    if (once.isNew('track-file', message))
      log({ event: 'track-file-not-written', level: 'error', path, message });
  };
  return async (value, why) => {
    const now = monotonicMs();
    if (last?.value === value && now - last.at < REFRESH_EVERY_MS) return await writing;
    if (last?.value !== value) log({ event: 'health-told', value, before: last?.value, why });
    last = { value, at: now };
    writing = writing
      .then(() => writeFile(path, `${value}\n`, { mode: 0o644 }))
      .then(() => void once.clear('track-file'), failed);
    await writing;
  };
}
