/** A program: `live-world.ts ROUTES ROUNDS RELOADS DIR` measures a running router in its own network namespace and prints JSON. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askHost, untilGood } from './ask-host.ts';
import { storedObjects, storedRoute, storedSlice } from './live-objects.ts';
import { type LiveScene, ports, startLiveScene } from './live-scene.ts';
import { movedMeanwhile } from './moved-meanwhile.ts';
import { hostOf, objectsOf, POD_PORT, podAddresses } from './objects.ts';
import { certificateRenewed } from './renew-certificate.ts';
import { residentKb } from './request-cost.ts';
import { startSteadyLoad } from './steady-load.ts';
import { startUpstreamRouter } from './upstream-router.ts';

const [routes = 0, rounds = 0, reloadsWanted = 0] = process.argv.slice(2, 5).map(Number);
const dir = process.argv[5] ?? '';
const upstreamPorts = { httpPort: 9_000, httpsPort: 9_443 };
const [one, two] = podAddresses;
/** Pause after a change is served, so that its remaining work does not count towards the next one. */
const BETWEEN_MS = 1_200;
const PER_SECOND = 500;
const ALONE_MS = 20_000;
const HOUR = { flips: 180, renewals: 10, resyncs: 60 };

/** A plain route, and an edge route with its own certificate. */
const plainIndex = 0;
const tlsIndex = 2;
const status = async (port: number, host: string) => (await askHost(port, host)).status;
const isServed = (code: number): boolean => code === 200;

async function created(scene: LiveScene) {
  const times: number[] = [];
  const seen: Set<number> = new Set();
  for (let index = routes; index < routes + rounds; index += 1) {
    scene.store.set(storedSlice(index));
    await pause(BETWEEN_MS);
    scene.store.set(storedRoute(index));
    const { ms, before } = await untilGood(
      hostOf(index),
      () => status(ports.httpPort, hostOf(index)),
      isServed,
    );
    times.push(ms);
    for (const code of before) seen.add(code);
  }
  return { createdMs: times, seenBefore: [...seen] };
}

/** Moves the only pod of a route. HAProxy 2.6 to 2.8 cannot add a server with a cookie at runtime. */
async function endpointChanged(scene: LiveScene, index: number, annotations: object) {
  const route = storedRoute(index);
  scene.store.set({ ...route, metadata: { ...route.metadata, annotations } });
  const times: number[] = [];
  const body = async () => (await askHost(ports.httpPort, hostOf(index))).body;
  const moveTo = async (address: string): Promise<number> => {
    scene.store.set(storedSlice(index, [address]));
    return (await untilGood(address, body, (found) => found === address)).ms;
  };
  await moveTo(one);
  // Until then the other pods may still answer, and a reload for this change may still be due.
  await pause(5 * BETWEEN_MS);
  const before = (await scene.serving()).generation;
  for (let round = 0; round < rounds; round += 1) {
    times.push(await moveTo(round % 2 === 0 ? two : one));
    await pause(BETWEEN_MS);
  }
  return { times, reloads: (await scene.serving()).generation - before };
}

/** Reloads during an hour's worth of noise: crashing pods, renewed certificates, Routes written without a relevant change. */
async function quietHour(scene: LiveScene): Promise<number> {
  const before = (await scene.serving()).generation;
  for (let flip = 0; flip < HOUR.flips; flip += 1) {
    const index = 30 + (flip % 9);
    scene.store.set(storedSlice(index, flip % 2 === 0 ? [one, two] : podAddresses));
    if (flip % 3 === 0) {
      const route = storedRoute(20 + (flip % 30));
      scene.store.set({ ...route, status: { ingress: [{ routerName: `other-${flip}` }] } });
    }
    await pause(20);
  }
  await certificateRenewed(scene, tlsIndex, HOUR.renewals - 1, BETWEEN_MS);
  return (await scene.serving()).generation - before;
}

const startLoad = () => startSteadyLoad(ports, { plain: hostOf(12), tls: hostOf(tlsIndex) }, PER_SECOND);

/** Runs the load alone first: a machine that is too slow for it loses connections without any reload. */
async function loadedReloads(scene: LiveScene) {
  const alone = startLoad();
  await pause(ALONE_MS);
  const withoutReloads = await alone.stop();
  const load = startLoad();
  const before = (await scene.serving()).generation;
  const count = async () => (await scene.serving()).generation - before;
  let reloads = 0;
  for (let index = routes + rounds; reloads < reloadsWanted; index += 1) {
    scene.store.set(storedRoute(index));
    const known = reloads;
    await untilGood('a reload', count, (found) => found > known);
    reloads = await count();
  }
  return { reloads, ...(await load.stop()), withoutReloads };
}

/** The number of reloads within one interval, from the first of 200 changes made in a second. */
async function burst(scene: LiveScene): Promise<number> {
  const intervalMs = 5_000;
  await scene.restart(intervalMs);
  await untilGood(
    'the router',
    async () => (await fetch('http://127.0.0.1:1936/healthz/ready').catch(() => undefined))?.status ?? 0,
    isServed,
  );
  await pause(intervalMs + BETWEEN_MS);
  const before = (await scene.serving()).generation;
  const startedMs = performance.now();
  for (let index = 0; index < 200; index += 1) {
    const number = routes + rounds + 1_000 + index;
    scene.store.set(storedSlice(number));
    scene.store.set(storedRoute(number));
    await pause(Math.max(0, startedMs + index * 5 - performance.now()));
  }
  await pause(startedMs + intervalMs - performance.now());
  return (await scene.serving()).generation - before;
}

async function measureUpstream() {
  const at = join(dir, 'upstream');
  await using upstream = await startUpstreamRouter(objectsOf(routes), upstreamPorts, at);
  const createdMs: number[] = [];
  for (let index = routes; index < routes + rounds; index += 1) {
    const fromMs = performance.now();
    const changing = upstream.change([storedRoute(index), storedSlice(index)]);
    await untilGood(hostOf(index), () => status(upstreamPorts.httpPort, hostOf(index)), isServed);
    createdMs.push(performance.now() - fromMs);
    await changing;
    await pause(BETWEEN_MS);
  }
  return { createdMs, haproxyKb: residentKb(upstream.pid()) };
}

async function measure() {
  const startedMs = performance.now();
  await using scene = await startLiveScene(storedObjects(routes), dir);
  await untilGood('the first route', () => status(ports.httpPort, hostOf(plainIndex)), isServed);
  const startMs = performance.now() - startedMs;
  await pause(2 * BETWEEN_MS);
  const { workers } = await scene.serving();
  const haproxyKb = residentKb(workers[0] ?? 0);
  const creations = await created(scene);
  const endpoint = await endpointChanged(scene, plainIndex, {});
  const withoutCookie = await endpointChanged(scene, 3, {
    'haproxy.router.openshift.io/disable_cookies': 'true',
  });
  const meanwhile = await movedMeanwhile(scene, [6, 9], rounds, 2 * BETWEEN_MS);
  const certificate = await certificateRenewed(scene, tlsIndex, rounds, BETWEEN_MS);
  const routerKb = residentKb(scene.router().pid ?? 0);
  const supervisorKb = residentKb(scene.supervisor.pid ?? 0);
  const hourReloads = await quietHour(scene);
  const loaded = reloadsWanted > 0 ? await loadedReloads(scene) : null;
  const burstReloads = await burst(scene);
  return {
    startMs,
    ...creations,
    endpoint,
    withoutCookie,
    meanwhile,
    certificate,
    hourReloads,
    loaded,
    burstReloads,
    haproxyKb,
    routerKb,
    supervisorKb,
  };
}

// The pods of all routes. They answer with the address at which they were reached.
createServer((asked, response) => response.end(asked.socket.localAddress)).listen(POD_PORT, '0.0.0.0');
const hawser = await measure();
process.stdout.write(`${JSON.stringify({ hawser, upstream: await measureUpstream() })}\n`);
process.exit(0);
