import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { describeChanges } from './changes.ts';
import { network, type ServerName, serverAddresses } from './layout.ts';
import { look, type Sight } from './look.ts';
import type { DemoEvent, Scene, ShownGeneration, ShownServer } from './scene.ts';
import type { Screen } from './screen.ts';
import type { Stage } from './stage.ts';
import { noCounts } from './tally.ts';
import { REQUESTS_PER_SECOND } from './traffic.ts';

const LOOK_EVERY_MS = 200;
const REDIRECT_EVERY_MS = 1_000;
const KEPT_EVENTS = 20;

/** Turns what happens on a stage into what a screen shows. */
export interface Camera {
  readonly event: (text: string) => void;
  readonly setRound: (round: number) => void;
  readonly setStep: (step: { readonly number: number; readonly of: number; readonly title: string }) => void;
  /** Looks and shows until `signal` aborts. */
  readonly film: (stage: Stage, signal: AbortSignal) => Promise<void>;
}

export function createCamera(screen: Screen): Camera {
  const startedMs = monotonicMs();
  let events: readonly DemoEvent[] = [];
  let step: { readonly number: number; readonly of: number; readonly title: string } | undefined;
  let stepSinceMs = startedMs;
  let round = 1;
  let sight: Sight = { servers: [], supervisor: undefined };
  let redirect: { readonly present: boolean; readonly atMs: number } | undefined;

  const event = (text: string) => {
    const next = { atMs: monotonicMs() - startedMs, text };
    events = [...events.slice(1 - KEPT_EVENTS), next];
    screen.event(next);
  };
  const lookAtRedirect = async (stage: Stage) => {
    if (redirect !== undefined && monotonicMs() - redirect.atMs < REDIRECT_EVERY_MS) return;
    const present = await stage.hasRedirect();
    if (redirect?.present !== present) event(`nftables: the redirect is ${present ? 'present' : 'absent'}`);
    redirect = { present, atMs: monotonicMs() };
  };
  const takeOne = async (stage: Stage) => {
    const next = await look(stage.paths);
    for (const change of describeChanges(sight, next)) event(change);
    // While a worker is being replaced nothing answers: the last answer stays on the screen.
    sight = next.servers.length === 0 ? { ...sight, supervisor: next.supervisor } : next;
    await lookAtRedirect(stage);
  };
  const scene = (stage: Stage): Scene => ({
    elapsedMs: monotonicMs() - startedMs,
    round,
    step: step === undefined ? undefined : { ...step, sinceMs: monotonicMs() - stepSinceMs },
    servers: shownServers(stage, sight),
    generations: shownGenerations(sight),
    counts: stage.traffic.counts() ?? noCounts,
    perSecond: REQUESTS_PER_SECOND,
    slowestMs: stage.traffic.recent().slowestMs,
    redirect: redirect?.present === true,
    pageUrl: stage.pageUrl,
    redirectText: `${network.vip}:${network.apiPort} -> ${network.lbPort}`,
    events,
  });
  return {
    event,
    setRound: (number) => {
      round = number;
    },
    setStep: (next) => {
      step = next;
      stepSinceMs = monotonicMs();
      event(`step ${next.number} of ${next.of}: ${next.title}`);
    },
    film: async (stage, signal) => {
      while (!signal.aborted) {
        await takeOne(stage);
        screen.show(scene(stage));
        await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** The first three servers always, the fourth while it is there in any sense. */
function shownServers(stage: Stage, sight: Sight): readonly ShownServer[] {
  const shares = stage.traffic.recent().servers;
  const total = [...shares.values()].reduce((sum, count) => sum + count, 0);
  const known = new Map(sight.servers.map((server) => [server.name, server]));
  const isName = (name: string): name is ServerName => name in serverAddresses;
  return Object.keys(serverAddresses)
    .filter(isName)
    .map((name) => ({
      name,
      address: `${serverAddresses[name]}:${network.apiPort}`,
      running: stage.cluster.isRunning(name),
      status: known.get(name)?.status ?? 'not configured',
      check: known.get(name)?.check ?? '',
      share: total === 0 ? 0 : (shares.get(name) ?? 0) / total,
    }))
    .filter(({ running, status }) => running || status !== 'not configured');
}

function shownGenerations({ supervisor }: Sight): readonly ShownGeneration[] {
  if (supervisor === undefined) return [];
  const { current, draining } = supervisor;
  const note = (terminateInMs: number) => `ends within ${Math.round(terminateInMs / 1_000)} s`;
  return [
    ...(current === null ? [] : [{ ...current, state: 'serving', note: '' }]),
    ...draining.map((each) => ({ ...each, state: 'draining', note: note(each.terminateInMs) })),
  ].map(({ generation, pid, state, ageMs, sessions, note: text }) => ({
    number: generation,
    pid,
    state,
    ageMs,
    sessions: sessions ?? undefined,
    note: text,
  }));
}
