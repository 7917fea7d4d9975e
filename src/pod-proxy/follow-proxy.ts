import type { ApiSession } from '../engine/kube/api-session.ts';
import type { Outage } from '../engine/kube/outage.ts';
import type { Resource } from '../engine/kube/resource.ts';
import { type FollowSettings, followResources, type ResourceEvent } from '../engine/kube/resource-view.ts';
import type { Log } from '../engine/system/log.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { type Certificates, type Chosen, chooseCertificates, type SecretCertificate } from './certificate.ts';
import { type Downstream, downstreamEndpoints, downstreamPods, type Limited, limitGroups } from './hosts.ts';
import { type OwnPod, proxyNameOf } from './pod/pod.ts';
import { createTroubles, proxyRemedy, type Troubles } from './pod/troubles.ts';
import type { Problem } from './proxy-status.ts';
import { type ConfigSource, type Requests, requestsIn } from './requests.ts';
import {
  configMapResource,
  ownPodResource,
  podsResource,
  secretResource,
  slicesResource,
} from './resources.ts';

/** This proxy's desired configuration, read from the API. */
export type ProxyView =
  /** Some resource is not listed yet, or the pod does not exist. */
  | { readonly kind: 'unknown' }
  /** Nothing can be configured, and HAProxy keeps its running configuration. */
  | { readonly kind: 'unusable'; readonly own: OwnPod; readonly problem: Problem }
  | {
      readonly kind: 'known';
      readonly own: OwnPod;
      readonly template: string;
      readonly downstreams: readonly Downstream[];
      readonly certificates: Certificates;
      /**
       * Served with a restriction: a Secret is refused and its earlier certificate is used, a group has too many addresses, or objects can no longer be
       * read and their last known state is used.
       */
      readonly problem: Problem | undefined;
    };

export interface FollowedProxy {
  readonly view: () => ProxyView;
  /** Undefined until the pod is listed, and after it was deleted. */
  readonly own: () => OwnPod | undefined;
  /** Resolves once `signal` has aborted and everything has ended. Rejects only for a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

interface Api {
  readonly session: ApiSession;
  readonly report: Log;
  /** Reports an API that does not answer, once for all lists. */
  readonly outage: Outage;
  /** Called after each change. */
  readonly onChange: () => void;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

type Follow = <T>(resources: readonly Resource<T>[]) => () => readonly T[] | undefined;

/** The resources that the annotations request, followed until the annotations change. The functions return undefined until the resources are listed. */
interface Sources {
  readonly key: string;
  readonly stop: AbortController;
  readonly troubles: Troubles;
  readonly downstreams: (own: OwnPod) => Limited | undefined;
  readonly texts: () => readonly string[] | undefined;
  readonly secrets: () => readonly SecretCertificate[] | undefined;
}

/** Lists and watches the proxy's pod and the resources that its annotations request. */
export function followProxy(
  place: { readonly namespace: string; readonly pod: string },
  api: Api,
): FollowedProxy {
  let sources: Sources | undefined;
  let ownPods: () => readonly OwnPod[] | undefined = () => [];
  const { session, report, outage } = api;
  const settings: FollowSettings = { session, report, outage, remedy: proxyRemedy };
  const { nowMs = monotonicMs } = api;
  const ownTroubles = createTroubles(nowMs);
  let certificates: Certificates = {};
  const findOwn = (): OwnPod | undefined => ownPods()?.[0];
  return {
    own: findOwn,
    view: () => {
      const own = findOwn();
      if (own === undefined) return { kind: 'unknown' };
      const requests = requestsIn(own.annotations);
      const wrong = problemOf(requests);
      if (wrong !== undefined) return { kind: 'unusable', own, problem: wrong };
      const found = sources?.downstreams(own);
      const template = templateOf(requests.config, sources?.texts());
      const chosen = chosenOf(requests, sources?.secrets(), certificates);
      if (found === undefined || template === undefined || chosen === undefined)
        return unlisted(own, sources?.troubles.all());
      certificates = chosen.certificates;
      const { trouble, isLacking } = chosen;
      const refused = trouble === undefined ? undefined : { reason: 'CertificateRefused', message: trouble };
      const outdated = [...ownTroubles.lasting(), ...(sources?.troubles.lasting() ?? [])];
      if (template.kind === 'missing') return { kind: 'unusable', own, problem: template.problem };
      if (refused !== undefined && isLacking) return { kind: 'unusable', own, problem: refused };
      return {
        kind: 'known',
        own,
        template: template.text,
        certificates,
        downstreams: found.downstreams,
        problem: refused ?? found.problem ?? notReadable(outdated),
      };
    },
    run: async (signal) => {
      const running: Promise<void>[] = [];
      const following =
        (until: AbortSignal, onChange: () => void, troubles: Troubles): Follow =>
        (resources) => {
          const note = (event: ResourceEvent): void => {
            troubles.note(resources, event);
            onChange();
          };
          const { objects, ended } = followResources(resources, settings, note, until);
          running.push(ended);
          return objects;
        };
      const refollow = (): void => {
        const own = findOwn();
        const requests = requestsIn(own?.annotations ?? {});
        const key = own && keyOf(own, requests);
        if (own !== undefined && key !== undefined && sources?.key !== key) {
          sources?.stop.abort();
          const stop = new AbortController();
          const troubles = createTroubles(nowMs);
          const follow = following(AbortSignal.any([signal, stop.signal]), api.onChange, troubles);
          sources = { key, stop, troubles, ...openSources(own, requests, follow) };
        }
        api.onChange();
      };
      ownPods = following(signal, refollow, ownTroubles)([ownPodResource(place)]);
      while (running.length > 0) await running.pop();
    },
  };
}

function keyOf(own: OwnPod, { hosts, config, certs }: Requests): string {
  return JSON.stringify([
    proxyNameOf(own),
    hosts,
    certs,
    config.kind === 'annotation' ? config.kind : config,
  ]);
}

function openSources(
  own: OwnPod,
  requests: Requests,
  follow: Follow,
): Omit<Sources, 'key' | 'stop' | 'troubles'> {
  const { config } = requests;
  return {
    downstreams: openDownstreams(own, requests, follow),
    texts: follow(config.kind === 'config-map' ? [configMapResource(own, config.name, config.key)] : []),
    secrets: openSecrets(own, requests, follow),
  };
}

/** Each Secret has a list of its own, so that one that can be read does not hide another's refusal. */
function openSecrets(own: OwnPod, { certs }: Requests, follow: Follow): Sources['secrets'] {
  const names = certs.kind === 'secrets' ? certs.names : [];
  const lists = names.map((name) => follow([secretResource(own, name)]));
  return () => {
    const found = lists.map((list) => list());
    return found.every((list) => list !== undefined) ? found.flat() : undefined;
  };
}

function openDownstreams(own: OwnPod, { hosts }: Requests, follow: Follow): Sources['downstreams'] {
  switch (hosts.kind) {
    case 'wrong':
      return () => undefined;
    case 'pods': {
      const pods = follow([podsResource(own)]);
      return limited(pods, downstreamPods);
    }
    case 'slices': {
      const slices = follow([slicesResource(own, hosts.labelSelector)]);
      return limited(slices, downstreamEndpoints);
    }
  }
}

/** The addresses of a list, computed once for each state of the list and of the own pod: other events are more frequent. */
function limited<T>(
  list: () => readonly T[] | undefined,
  choose: (own: OwnPod, list: readonly T[]) => readonly Downstream[],
): Sources['downstreams'] {
  let last: { readonly own: OwnPod; readonly known: readonly T[]; readonly result: Limited } | undefined;
  return (own) => {
    const known = list();
    if (known === undefined) return undefined;
    if (last?.own !== own || last.known !== known)
      last = { own, known, result: limitGroups(choose(own, known)) };
    return last.result;
  };
}

/** The view while a resource is not listed. A resource that cannot be listed is a problem, because changed addresses are not served. */
function unlisted(own: OwnPod, troubles: readonly string[] = []): ProxyView {
  const problem = notReadable(troubles);
  return problem === undefined ? { kind: 'unknown' } : { kind: 'unusable', own, problem };
}

function notReadable([first]: readonly string[]): Problem | undefined {
  return first === undefined ? undefined : { reason: 'NotReadable', message: first };
}

/** A problem with the annotations themselves. */
function problemOf({ config, hosts, certs }: Requests): Problem | undefined {
  for (const each of [config, hosts, certs])
    if (each.kind === 'wrong') return { reason: 'AnnotationRefused', message: each.message };
  return undefined;
}

/** Undefined until every Secret is listed. */
function chosenOf(
  { certs }: Requests,
  found: readonly SecretCertificate[] | undefined,
  before: Certificates,
): Chosen | undefined {
  if (certs.kind !== 'secrets' || found === undefined) return undefined;
  return chooseCertificates(certs.names, found, before);
}

type Template =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly problem: Problem };

/** The template, or why there is none; undefined until the ConfigMap is listed. */
function templateOf(config: ConfigSource, texts: readonly string[] | undefined): Template | undefined {
  switch (config.kind) {
    case 'wrong':
      return undefined;
    case 'annotation':
      return { kind: 'text', text: config.text };
    case 'none':
      return missing('the pod has no annotation hawser.dev/config, expected a template in it');
    case 'config-map': {
      if (texts === undefined) return undefined;
      const [text] = texts;
      if (text !== undefined) return { kind: 'text', text };
      return missing(`ConfigMap "${config.name}" has no key "${config.key}", expected a template there`);
    }
  }
}

function missing(what: string): Template {
  return {
    kind: 'missing',
    problem: { reason: 'TemplateMissing', message: `Cannot configure HAProxy: ${what}` },
  };
}
