import type { ApiServer } from '../api-server.ts';
import { openApiSession } from '../api-session.ts';
import { type Following, followResources } from '../follow-resources.ts';
import { openKubeconfig } from '../kubeconfig.ts';
import type { Report } from '../report.ts';
import type { Resource } from '../resource.ts';
import type { ResourceNews } from '../resource-view.ts';
import type { ListWatchTiming } from '../timing.ts';
import type { ServerChoice } from './choose-servers.ts';
import { createObservationQueue } from './observation-queue.ts';
import type { ServerFinding } from './server-objects.ts';
import { createServerView } from './server-view.ts';
import type { Source } from './source.ts';

export interface ServerSourceSettings {
  readonly kubeconfigPath: string;
  /** The port of this machine's own API server. */
  readonly apiPort: number;
  /** The loss guard counts the lists of these polls. */
  readonly checkIntervalMs: number;
  /** Servers to ask when neither the kubeconfig's server nor this machine's own answers. */
  readonly lastKnown: readonly ApiServer[];
  readonly report: Report;
  readonly timing?: Partial<ListWatchTiming>;
}

/** A node with its list of images is up to 15 kB. */
const PAGE_LIMIT = 50;

type Choose = (findings: readonly ServerFinding[]) => ServerChoice;

interface Running {
  readonly following: Following<ServerFinding>;
  readonly remember: (servers: readonly ApiServer[]) => void;
  /** Resolves once everything has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Sources that choose differently from the same objects. They watch to be fast, and list every `checkIntervalMs` to be
 * certain. They share one list and one watch. A source that starts later than the others waits for the next list.
 */
export function shareServerSource(
  settings: ServerSourceSettings,
  resources: readonly Resource<ServerFinding>[],
): (choose: Choose) => Source {
  const report = neverThrowing(settings.report);
  const readers = new Set<(news: ResourceNews) => void>();
  let running: Running | undefined;

  const hear = (news: ResourceNews) => {
    for (const reader of readers) reader(news);
  };

  const start = (): Running => {
    const stop = new AbortController();
    const kubeconfig = openKubeconfig(settings.kubeconfigPath, report);
    const session = openApiSession({ ...settings, kubeconfig });
    const { checkIntervalMs: pollMs } = settings;
    const timing = { pageLimit: PAGE_LIMIT, ...settings.timing };
    const following = followResources(resources, { session, pollMs, report, timing }, hear, stop.signal);
    // Only a bug in hawser leads here. It is reported to the reader instead of ending the process.
    following.ended.catch((error) => hear({ kind: 'unavailable', message: `internal error: ${error}` }));
    return {
      following,
      remember: session.remember,
      stop: async () => {
        stop.abort();
        session.close();
        await following.ended.catch(() => undefined);
      },
    };
  };
  return (choose) => ({
    async *observe(signal) {
      const queue = createObservationQueue();
      running ??= start();
      const { following, remember } = running;
      const reader = createServerView({
        objects: following.objects,
        choose,
        remember,
        push: queue.push,
      });
      readers.add(reader);
      try {
        yield* queue.drain(signal);
      } finally {
        readers.delete(reader);
        const last = readers.size === 0 ? running : undefined;
        if (last !== undefined) running = undefined;
        await last?.stop();
      }
    },
  });
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
