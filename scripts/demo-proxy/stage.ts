import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { type Backends, startBackends } from '../../test/helpers/load/start-backends.ts';
import { type Load, startLoad } from '../../test/helpers/load/start-load.ts';
import { connectPair, createNetNamespace } from '../../test/helpers/net-namespace.ts';
import type { DownstreamPod } from '../../test/helpers/pod-objects.ts';
import { createPodProxies, type PodProxies, type PodProxy } from '../../test/helpers/pod-proxy.ts';

/** A stand-in for the API, a pod with `hawser proxy` and HAProxy, and pods behind it in another network namespace. */
export interface Stage extends AsyncDisposable {
  readonly proxy: PodProxy;
  /** The API shows this template and these pods from now on. */
  readonly show: (template: string, pods: readonly DownstreamPod[]) => void;
  readonly eventsOfPod: PodProxies['listed'];
  /** 100 connections a second through the proxy's port. */
  readonly load: (port: number) => Promise<Load>;
}

const own = z.object({
  own: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) }),
});

/** Both templates of the README of ads-infra-haproxy, from the goldens. */
export const templates = { http: templateIn('http'), zookeeper: templateIn('zookeeper') };

export const pods: Readonly<
  Record<'web1' | 'web2' | 'api1' | 'zk0' | 'zk1', DownstreamPod & { ip: string }>
> = {
  web1: { name: 'web-1', app: 'web', ip: '10.88.0.21' },
  web2: { name: 'web-2', app: 'web', ip: '10.88.0.22' },
  api1: { name: 'api-1', app: 'api', ip: '10.88.0.23' },
  zk0: { name: 'zookeeper-0', app: 'zookeeper', ip: '10.88.0.24' },
  zk1: { name: 'zookeeper-1', app: 'zookeeper', ip: '10.88.0.25' },
};

const LISTEN = 29_452;
const ownPod = 'haproxy-1';

export async function createStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createPodProxies([ownPod]));
  const { namespace } = world.cluster;
  const behind = stack.use(await createNetNamespace());
  const all = Object.values(pods);
  const addresses = all.map(({ ip }) => `${ip}/24`);
  await connectPair(
    { namespace, device: 'pods0', addresses: ['10.88.0.1/24'] },
    { namespace: behind, device: 'proxy0', addresses },
  );
  stack.use(await serve(behind.prefix, world));
  const show: Stage['show'] = (template, shown) =>
    world.show({ annotations: { 'haproxy.unity3d.com/config': template }, pods: shown });
  show(templates.http, [pods.web1]);
  const proxy = await world.start(ownPod, LISTEN);
  const owned = stack.move();
  return {
    proxy,
    show,
    eventsOfPod: world.listed,
    load: (port) =>
      startLoad(namespace.prefix, {
        ...{ host: '127.0.0.1', port, ratePerSecond: 100, timeoutMs: 5_000, streams: 0, streamRampMs: 0 },
        ...{ servers: all.map(({ name }) => name), probe: null },
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Each pod answers on the port of its template. */
async function serve(
  prefix: readonly [string, ...string[]],
  { cluster: { serving } }: PodProxies,
): Promise<Backends> {
  const portOf = (app: string | undefined): number => (app === 'zookeeper' ? 2_181 : 80);
  const backends = Object.values(pods).map(({ name, app, ip }) => ({ name, host: ip, port: portOf(app) }));
  return await startBackends(prefix, backends, serving);
}

function templateIn(golden: string): string {
  const path = fileURLToPath(new URL(`../../test/golden/pod-proxy/${golden}.golden`, import.meta.url));
  const [input = ''] = readFileSync(path, 'utf8').split(/^-{20,}$/m);
  return own.parse(parse(input)).own.metadata.annotations['haproxy.unity3d.com/config'] ?? '';
}
