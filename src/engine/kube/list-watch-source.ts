import { type ApiSession, openApiSession } from './api-session.ts';
import type { ApiServer } from './control-plane/api-server.ts';
import type { ServerChoice } from './control-plane/choose-servers.ts';
import { createServerView, type ServerView } from './control-plane/server-view.ts';
import type { Observation, Report, Source } from './control-plane/source.ts';
import type { ParsedItem } from './kube-objects.ts';
import { openKubeconfig } from './kubeconfig.ts';
import type { Resource } from './list-objects.ts';
import { createObservationQueue } from './observation-queue.ts';
import { runPollLoop } from './poll-loop.ts';
import { defaultTiming, type ListWatchTiming } from './timing.ts';
import { runWatchLoop } from './watch-loop.ts';

export interface ListWatchSettings {
  readonly kubeconfigPath: string;
  /** The port of this machine's own API server. */
  readonly apiPort: number;
  readonly checkIntervalMs: number;
  /** Servers to ask when neither the kubeconfig's server nor this machine's own answers. */
  readonly lastKnown: readonly ApiServer[];
  readonly report: Report;
  readonly timing?: Partial<ListWatchTiming>;
}

type Choose = (items: readonly ParsedItem[]) => ServerChoice;

/**
 * A source that watches `resources` to be fast, and lists them every `checkIntervalMs` to be certain. It survives any
 * behaviour of an API server: each loop continues with other bases and a backoff until it is stopped.
 */
export function createListWatchSource(
  settings: ListWatchSettings,
  resources: readonly Resource[],
  choose: Choose,
): Source {
  return shareListWatch(settings, resources)(choose);
}

interface Running {
  readonly session: ApiSession;
  /** Resolves once everything has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Sources that choose differently from the same objects. They share one list and one watch. A source that starts later
 * than the others waits for the next list.
 */
export function shareListWatch(
  settings: ListWatchSettings,
  resources: readonly Resource[],
): (choose: Choose) => Source {
  const report = neverThrowing(settings.report);
  const views = new Set<ServerView>();
  const pushes = new Set<(observation: Observation) => void>();
  let running: Running | undefined;

  const start = (): Running => {
    const stop = new AbortController();
    const { signal } = stop;
    const kubeconfig = openKubeconfig(settings.kubeconfigPath, report);
    const session = openApiSession({ ...settings, kubeconfig });
    const timing = { ...defaultTiming, ...settings.timing };
    const context = { session, view: everyView(views), report, signal, timing };
    const loops = Promise.all([
      ...resources.map((resource) => runWatchLoop(resource, context)),
      runPollLoop(resources, settings.checkIntervalMs, context),
    ]);
    // Only a bug in hawser leads here. It is reported to the reader instead of ending the process.
    loops.catch((error) => {
      for (const push of pushes) push({ kind: 'unavailable', message: `internal error: ${error}` });
    });
    return {
      session,
      stop: async () => {
        stop.abort();
        session.close();
        await loops.catch(() => undefined);
      },
    };
  };
  return (choose) => ({
    async *observe(signal) {
      const queue = createObservationQueue();
      running ??= start();
      const { session } = running;
      // An outage affects all of them and is reported once.
      const reportOnce: Report = (event) => {
        if (views.values().next().value === view) report(event);
      };
      const view: ServerView = createServerView({
        ...{ resources, choose, session, report: reportOnce, push: queue.push },
      });
      views.add(view);
      pushes.add(queue.push);
      try {
        yield* queue.drain(signal);
      } finally {
        views.delete(view);
        pushes.delete(queue.push);
        const last = views.size === 0 ? running : undefined;
        if (last !== undefined) running = undefined;
        await last?.stop();
      }
    },
  });
}

function everyView(views: ReadonlySet<ServerView>): ServerView {
  return {
    relisted: (...heard) => {
      for (const view of views) view.relisted(...heard);
    },
    changed: (...heard) => {
      for (const view of views) view.changed(...heard);
    },
    polled: (...heard) => {
      for (const view of views) view.polled(...heard);
    },
    unavailable: (...heard) => {
      for (const view of views) view.unavailable(...heard);
    },
  };
}

function neverThrowing(report: Report): Report {
  return (event) => {
    try {
      report(event);
    } catch {
      // A failing log must not end the watch.
    }
  };
}
