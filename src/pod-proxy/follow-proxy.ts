import type { ApiSession } from '../engine/kube/api-session.ts';
import { type FollowSettings, followResources } from '../engine/kube/follow-resources.ts';
import type { Resource } from '../engine/kube/resource.ts';
import type { Log } from '../engine/system/log.ts';
import { type Hosts, hostsOfPods, hostsOfSlices } from './hosts.ts';
import { type OwnPod, proxyNameOf } from './pod/pod.ts';
import { configMapResource, ownPodResource, podsResource, slicesResource } from './resources.ts';
import { type ConfigSource, type Wishes, wishesOf } from './wishes.ts';

/** What the API says about this proxy. */
export type ProxyView =
  /** Not everything was listed yet, or there is no such pod. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'no-template'; readonly own: OwnPod; readonly message: string }
  | { readonly kind: 'known'; readonly own: OwnPod; readonly template: string; readonly hosts: Hosts };

export interface FollowedProxy {
  readonly view: () => ProxyView;
  /** Resolves once `signal` has aborted and everything has ended. Rejects only for a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

interface Api {
  readonly session: ApiSession;
  readonly report: Log;
  /** Something may have changed. */
  readonly hear: () => void;
}

type Follow = <T>(resource: Resource<T>) => () => readonly T[] | undefined;

/** What the annotations name, followed for as long as they name the same. Undefined where it was not listed yet. */
interface Sources {
  readonly key: string;
  readonly stop: AbortController;
  readonly hosts: (own: OwnPod) => Hosts | undefined;
  readonly texts: () => readonly string[] | undefined;
}

/** Lists and watches a pod, and what its annotations name. */
export function followProxy(
  place: { readonly namespace: string; readonly pod: string },
  api: Api,
): FollowedProxy {
  let [sources, ownPods]: [Sources | undefined, () => readonly OwnPod[] | undefined] = [undefined, () => []];
  const settings: FollowSettings = { session: api.session, report: api.report };
  return {
    view: () => {
      const own = ownPods()?.[0];
      const hosts = own && sources?.hosts(own);
      const template = own && templateOf(wishesOf(own.annotations).config, sources?.texts());
      if (own === undefined || hosts === undefined || template === undefined) return { kind: 'unknown' };
      return template.kind === 'text'
        ? { kind: 'known', own, template: template.text, hosts }
        : { ...template, own };
    },
    run: async (signal) => {
      const running: Promise<void>[] = [];
      const following =
        (until: AbortSignal, hear: () => void): Follow =>
        (resource) => {
          const { objects, ended } = followResources([resource], settings, hear, until);
          running.push(ended);
          return objects;
        };
      const refollow = (): void => {
        const own = ownPods()?.[0];
        if (own !== undefined && sources?.key !== keyOf(own)) {
          sources?.stop.abort();
          const stop = new AbortController();
          const follow = following(AbortSignal.any([signal, stop.signal]), api.hear);
          sources = { key: keyOf(own), stop, ...openSources(own, follow) };
        }
        api.hear();
      };
      ownPods = following(signal, refollow)(ownPodResource(place));
      while (running.length > 0) await running.pop();
    },
  };
}

function keyOf(own: OwnPod): string {
  const { hosts, config } = wishesOf(own.annotations);
  return JSON.stringify([proxyNameOf(own), hosts, config.kind === 'annotation' ? config.kind : config]);
}

function openSources(own: OwnPod, follow: Follow): Pick<Sources, 'hosts' | 'texts'> {
  const wishes = wishesOf(own.annotations);
  const { config } = wishes;
  const texts =
    config.kind === 'config-map' ? follow(configMapResource(own, config.name, config.key)) : () => [];
  return { hosts: openHosts(own, wishes, follow), texts };
}

function openHosts(own: OwnPod, { hosts }: Wishes, follow: Follow): Sources['hosts'] {
  if (hosts.kind === 'pods') {
    const pods = follow(podsResource(own));
    return (now) => ifKnown(pods(), (known) => hostsOfPods(now, known));
  }
  const slices = follow(slicesResource(own, hosts.labelSelector));
  return (now) => ifKnown(slices(), (known) => hostsOfSlices(now, known));
}

function ifKnown<T, R>(value: T | undefined, use: (value: T) => R): R | undefined {
  return value === undefined ? undefined : use(value);
}

type Template =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'no-template'; readonly message: string };

/** Undefined while its ConfigMap was not listed yet. */
function templateOf(config: ConfigSource, texts: readonly string[] | undefined): Template | undefined {
  switch (config.kind) {
    case 'annotation':
      return { kind: 'text', text: config.text };
    case 'none':
      return {
        kind: 'no-template',
        message:
          'Cannot configure HAProxy: the pod has no annotation hawser.dev/config, expected a template in it',
      };
    case 'config-map': {
      if (texts === undefined) return undefined;
      const [text] = texts;
      if (text !== undefined) return { kind: 'text', text };
      const message = `Cannot configure HAProxy: ConfigMap "${config.name}" has no key "${config.key}", expected a template there`;
      return { kind: 'no-template', message };
    }
  }
}
