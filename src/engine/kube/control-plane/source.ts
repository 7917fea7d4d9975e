import type { Log } from '../../system/log.ts';
import { interfaceSubnets } from '../../system/network/routes.ts';
import { endpointOf } from '../api-server.ts';
import type { ApiSession } from '../api-session.ts';
import { neverThrowing } from '../never-throwing.ts';
import { rbacHint } from '../rbac-hint.ts';
import { followResources, type ResourceNews } from '../resource-view.ts';
import type { ListWatchTiming } from '../timing.ts';
import type { ServerChoice } from './choose-servers.ts';
import {
  allNodes,
  controlPlaneNodes,
  endpoints,
  type ServerFinding,
  type ServerKind,
} from './server-objects.ts';
import { parseServers } from './static-servers.ts';

export type Observation =
  | ({
      readonly kind: 'servers';
      /** A poll confirms the whole list; a watch shows it after its latest event. */
      readonly via: 'watch' | 'poll';
      /** An API server's URL, or `--servers`. */
      readonly from: string;
      /** The list may be empty: the loss guard decides whether to accept it. */
    } & ServerChoice)
  /** No API server answered. Sent when an outage begins, and when its HTTP status changes. */
  | { readonly kind: 'unavailable'; readonly message: string };

export interface ServerReader {
  /** Determine which address of a node is used. */
  readonly vips: readonly string[];
  readonly hear: (observation: Observation) => void;
}

/**
 * Source of the desired API servers. One set of requests feeds all readers until `signal` aborts, then it resolves. Failures are observations or
 * reports; it rejects only for a bug.
 */
export type Source = (readers: readonly ServerReader[], signal: AbortSignal) => Promise<void>;

/** Source settings of both monitors. */
export interface LookupSettings {
  readonly source: 'nodes' | 'endpoints' | 'static' | 'all-nodes';
  readonly servers?: string | undefined;
  readonly apiPort: number;
  /** The shortest pause between full lists, in addition to the watch: the loss guard counts these lists. */
  readonly checkInterval: number;
}

interface SourceParts {
  readonly session: ApiSession;
  readonly report: Log;
  /** CIDRs of this machine's interfaces, read each time: at boot an interface may come up later. */
  readonly subnets?: () => readonly string[];
  readonly timing?: Partial<ListWatchTiming>;
}

/** A node with its list of images is up to 15 kB. */
const PAGE_LIMIT = 50;

/** Opens the source chosen by the settings. Throws a ConfigError if `--servers` does not fit `--source`. */
export function openSource(settings: LookupSettings, parts: SourceParts): Source {
  const { source, servers, apiPort } = settings;
  switch (source) {
    case 'nodes':
      return follow(controlPlaneNodes(apiPort), settings, parts);
    case 'all-nodes':
      return follow(allNodes(apiPort), settings, parts);
    case 'endpoints':
      return follow(endpoints, settings, parts);
    case 'static': {
      const listed = { servers: parseServers(servers, apiPort), skipped: [] };
      return async (readers, signal) => {
        for (const { hear } of readers) hear({ kind: 'servers', via: 'poll', from: '--servers', ...listed });
        if (!signal.aborted)
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      };
    }
  }
}

/** Watches for speed, and lists every `checkInterval` for certainty. */
function follow(
  { resources, choose }: ServerKind,
  { checkInterval: pollMs }: LookupSettings,
  { session, report, subnets = interfaceSubnets, timing }: SourceParts,
): Source {
  const choiceOf = (findings: readonly ServerFinding[], vips: readonly string[]): ServerChoice => {
    const candidates = findings.flatMap((finding) => finding.candidates);
    const choice = choose(candidates, { vips, subnets: subnets() });
    return { ...choice, skipped: [...choice.skipped, ...findings.flatMap(({ skipped }) => skipped)] };
  };
  return async (readers, signal) => {
    const views = readers.map(({ vips, hear }) => ({ vips, notify: notifyChanges(hear) }));
    const hear = (news: ResourceNews): void => {
      const findings = following.objects() ?? [];
      for (const { vips, notify } of views) notify(news, () => choiceOf(findings, vips));
      if (news.kind !== 'objects') return;
      // A node may have become an API server while the choice stays the same.
      const apiServers = findings.filter(({ isApiServer }) => isApiServer);
      session.remember(views.flatMap(({ vips }) => choiceOf(apiServers, vips).servers.map(endpointOf)));
    };
    const settings = {
      session,
      pollMs,
      report: neverThrowing(report),
      remedy: rbacHint,
      timing: { pageLimit: PAGE_LIMIT, ...timing },
    };
    const following = followResources(resources, settings, hear, signal);
    await following.ended;
  };
}

/**
 * Turns object news into observations of API servers. A watch event counts only if it changes the result, which a new label does not, or if it
 * ends an outage. A poll always counts.
 */
function notifyChanges(hear: ServerReader['hear']): (news: ResourceNews, choose: () => ServerChoice) => void {
  let lastShown: string | undefined;
  return (news, choose) => {
    switch (news.kind) {
      case 'objects': {
        const choice = choose();
        const shown = JSON.stringify(choice);
        if (news.via === 'watch' && shown === lastShown) return;
        lastShown = shown;
        return hear({ kind: 'servers', via: news.via, ...choice, from: news.from });
      }
      case 'available':
        lastShown = undefined;
        return;
      case 'unavailable':
        return hear(news);
    }
  };
}
