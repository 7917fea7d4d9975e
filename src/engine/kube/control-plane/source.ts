import type { Log } from '../../system/log.ts';
import { interfaceSubnets } from '../../system/network/routes.ts';
import { endpointOf } from '../api-server.ts';
import type { ApiSession } from '../api-session.ts';
import { neverThrowing } from '../never-throwing.ts';
import { rbacHint } from '../rbac-hint.ts';
import { followResources, type ResourceEvent } from '../resource-view.ts';
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
      /** A poll confirms the whole list; a watch reports it after its latest event. */
      readonly via: 'watch' | 'poll';
      /** URL of an API server, or `--servers`. */
      readonly from: string;
      /** The list may be empty. The loss guard decides whether to accept it. */
    } & ServerChoice)
  /** No API server answered. Sent when an outage starts, and when its HTTP status changes. */
  | { readonly kind: 'unavailable'; readonly message: string };

export interface ServerReader {
  /** VIPs that determine which address of a node is used. */
  readonly vips: readonly string[];
  readonly observe: (observation: Observation) => void;
}

/**
 * Source of the desired API servers. One set of requests feeds all readers until `signal` aborts, then the promise resolves. Failures are
 * observations or log events; it rejects only on a bug.
 */
export type Source = (readers: readonly ServerReader[], signal: AbortSignal) => Promise<void>;

/** Source settings of both monitors. */
export interface LookupSettings {
  readonly source: 'nodes' | 'endpoints' | 'static' | 'all-nodes';
  readonly servers?: string | undefined;
  readonly apiPort: number;
  /** Minimum pause between full lists, in addition to the watch. The loss guard counts these lists. */
  readonly checkInterval: number;
}

interface SourceParts {
  readonly session: ApiSession;
  readonly report: Log;
  /** CIDRs of this machine's interfaces, read each time because an interface may come up late at boot. */
  readonly subnets?: () => readonly string[];
  readonly timing?: Partial<ListWatchTiming>;
}

/** A node with its list of images takes up to 15 kB. */
const PAGE_LIMIT = 50;

/** Opens the source chosen by the settings. Throws a ConfigError if `--servers` does not match `--source`. */
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
        for (const { observe } of readers)
          observe({ kind: 'servers', via: 'poll', from: '--servers', ...listed });
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
    const views = readers.map(({ vips, observe }) => ({ vips, notify: notifyChanges(observe) }));
    const onEvent = (event: ResourceEvent): void => {
      const findings = following.objects() ?? [];
      for (const { vips, notify } of views) notify(event, () => choiceOf(findings, vips));
      if (event.kind !== 'objects') return;
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
    const following = followResources(resources, settings, onEvent, signal);
    await following.ended;
  };
}

/**
 * Turns events about objects into observations of API servers. A watch event is an observation only if it changes the result, which a new label does not, or
 * ends an outage. A poll always is.
 */
function notifyChanges(
  observe: ServerReader['observe'],
): (event: ResourceEvent, choose: () => ServerChoice) => void {
  let lastShown: string | undefined;
  return (event, choose) => {
    switch (event.kind) {
      case 'objects': {
        const choice = choose();
        const shown = JSON.stringify(choice);
        if (event.via === 'watch' && shown === lastShown) return;
        lastShown = shown;
        return observe({ kind: 'servers', via: event.via, ...choice, from: event.from });
      }
      case 'available':
        lastShown = undefined;
        return;
      case 'unavailable':
        return observe(event);
    }
  };
}
