import type { ApiServer } from '../model/api-server.ts';
import type { ServerChoice } from '../model/choose-servers.ts';
import { openApiSession } from './api-session.ts';
import type { ParsedItem } from './kube-objects.ts';
import { openKubeconfig } from './kubeconfig.ts';
import type { Resource } from './list-objects.ts';
import { createObservationQueue } from './observation-queue.ts';
import { runPollLoop } from './poll-loop.ts';
import { createServerView } from './server-view.ts';
import type { Report, Source } from './source.ts';
import { defaultTiming, type ListWatchTiming } from './timing.ts';
import { runWatchLoop } from './watch-loop.ts';

export interface ListWatchSettings {
  readonly kubeconfigPath: string;
  /** Where this machine's own API server would listen. */
  readonly apiPort: number;
  readonly checkIntervalMs: number;
  /** Servers to ask when neither the kubeconfig's server nor this machine's own one answers. */
  readonly lastKnown: readonly ApiServer[];
  readonly report: Report;
  readonly timing?: Partial<ListWatchTiming>;
}

/**
 * A source that watches `resources` for speed and also lists them every `checkIntervalMs` for certainty. It survives
 * everything an API server does to it: each loop goes on, with other bases and a backoff, until it is stopped.
 */
export function createListWatchSource(
  settings: ListWatchSettings,
  resources: readonly Resource[],
  choose: (items: readonly ParsedItem[]) => ServerChoice,
): Source {
  const report = neverThrowing(settings.report);
  return {
    async *observe(outerSignal) {
      const stop = new AbortController();
      const signal = AbortSignal.any([outerSignal, stop.signal]);
      const queue = createObservationQueue();
      const kubeconfig = openKubeconfig(settings.kubeconfigPath, report);
      const session = openApiSession({ ...settings, kubeconfig });
      const view = createServerView({ resources, choose, session, report, push: queue.push });
      const context = { session, view, report, signal, timing: { ...defaultTiming, ...settings.timing } };
      const loops = Promise.all([
        ...resources.map((resource) => runWatchLoop(resource, context)),
        runPollLoop(resources, settings.checkIntervalMs, context),
      ]);
      // Only a bug of ours ends up here: what is half deaf must not go on as if it were well.
      loops.catch(() => stop.abort());
      try {
        yield* queue.drain(signal);
      } finally {
        stop.abort();
        session.close();
        await loops.catch(() => undefined);
      }
      await loops;
    },
  };
}

function neverThrowing(report: Report): Report {
  return (event) => {
    try {
      report(event);
    } catch {
      // A log that cannot be written must not end the watch.
    }
  };
}
