/**
 * A program: `change-world.ts ROUTES ROUNDS SECONDS PROFILES DIR` measures what changes cost a running router in its own network
 * namespace and prints JSON. If PROFILES names a folder, both of hawser's programs write CPU profiles of their whole run there.
 */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { childCpuMsOf, cpuMsOf } from '../cpu-time.ts';
import { askHost, untilGood } from './ask-host.ts';
import { storedObjects, storedRoute, storedSlice } from './live-objects.ts';
import { type LiveScene, ports, startLiveScene } from './live-scene.ts';
import { hostOf, POD_PORT, podAddresses } from './objects.ts';

const [routes = 0, rounds = 0, seconds = 0] = process.argv.slice(2, 5).map(Number);
const [profiles = '', dir = ''] = process.argv.slice(5, 7);
const [one, two] = podAddresses;
const QUIET_MS = 6_000;
const CHURN_PER_SECOND = 5;
const IRRELEVANT_PER_SECOND = 50;
const FLAPS_PER_SECOND = 2;
const FLAPPING = { slices: 5, addresses: 1_000 };

interface Cpu {
  readonly controller: number;
  /** Exited children of the controller, which are the checks of the file. */
  readonly checks: number;
  readonly supervisor: number;
  /** The serving master and its workers, and the supervisor's exited children. */
  readonly haproxy: number;
}

async function cpuOf(scene: LiveScene): Promise<Cpu> {
  const controller = scene.router().pid ?? 0;
  const supervisor = scene.supervisor.pid ?? 0;
  const { master, workers } = await scene.serving();
  const haproxy = [master, ...workers].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  return {
    controller: cpuMsOf(controller),
    checks: childCpuMsOf(controller),
    supervisor: cpuMsOf(supervisor),
    haproxy: haproxy + childCpuMsOf(supervisor),
  };
}

async function countersOf(): Promise<(name: string) => number> {
  const text = await (await fetch('http://127.0.0.1:1936/metrics')).text();
  return (name) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(name))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const COUNTERS = {
  commands: 'hawser_router_runtime_commands_total',
  unchanged: 'hawser_applies_total{result="unchanged"}',
  reloaded: 'hawser_applies_total{result="reloaded"}',
  changed: 'hawser_applies_total{result="changed"}',
} as const;

/** CPU seconds and counters of a window in which `happen` is called at this rate. */
async function windowOf(
  scene: LiveScene,
  perSecond: number,
  lastsS: number,
  happen: (index: number) => void,
) {
  const cpu = await cpuOf(scene);
  const counters = await countersOf();
  const startedMs = performance.now();
  for (let index = 0; index < perSecond * lastsS; index += 1) {
    happen(index);
    await pause(Math.max(0, startedMs + ((index + 1) * 1_000) / perSecond - performance.now()));
  }
  await pause(Math.max(0, startedMs + lastsS * 1_000 - performance.now()));
  const cpuAfter = await cpuOf(scene);
  const countersAfter = await countersOf();
  const usedS = (name: keyof Cpu): number => (cpuAfter[name] - cpu[name]) / 1_000;
  const counted = (name: keyof typeof COUNTERS): number =>
    countersAfter(COUNTERS[name]) - counters(COUNTERS[name]);
  const parts = {
    controllerS: usedS('controller'),
    checksS: usedS('checks'),
    supervisorS: usedS('supervisor'),
    haproxyS: usedS('haproxy'),
  };
  return {
    lastsS,
    allS: Object.values(parts).reduce((sum, each) => sum + each, 0),
    ...parts,
    commands: counted('commands'),
    changed: counted('changed'),
    unchanged: counted('unchanged'),
    reloaded: counted('reloaded'),
  };
}

/** How long it takes until a route whose only pod moves is served from the new address. */
async function moved(scene: LiveScene, index: number, betweenMs: number): Promise<readonly number[]> {
  const body = async () => (await askHost(ports.httpPort, hostOf(index))).body;
  const moveTo = async (address: string): Promise<number> => {
    scene.store.set(storedSlice(index, [address]));
    return (await untilGood(address, body, (found) => found === address, { everyMs: 1 })).ms;
  };
  await moveTo(one);
  await pause(QUIET_MS);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await moveTo(round % 2 === 0 ? two : one));
    await pause(betweenMs);
  }
  return times;
}

/** Changes the endpoints of the routes in turn. */
function churn(scene: LiveScene, index: number): void {
  const route = 100 + (index % (routes - 100));
  const shifted = [...podAddresses.slice(1), podAddresses[0]].slice(0, 2);
  scene.store.set(storedSlice(route, index % 2 === 0 ? shifted : [...podAddresses].reverse().slice(0, 1)));
}

function irrelevant(scene: LiveScene, index: number): void {
  const number = 1_000_000 + (index % 200);
  scene.store.set(storedSlice(number, [podAddresses[Math.floor(index / 200) % 3] ?? '']));
}

/** A tenant whose thousands of endpoints all change their addresses twice a second. */
function startFlapping(scene: LiveScene): { readonly stop: () => void } {
  const number = 2_000_000;
  const route = storedRoute(number);
  const inEvil = { ...route.metadata, namespace: 'evil' };
  let round = 0;
  const flap = (): void => {
    round += 1;
    for (let slice = 0; slice < FLAPPING.slices; slice += 1) {
      const addresses = Array.from(
        { length: FLAPPING.addresses },
        (_, host) => `10.${2 + (round % 2)}.${slice * 4 + Math.floor(host / 250)}.${(host % 250) + 1}`,
      );
      const object = storedSlice(number, addresses);
      scene.store.set({
        ...object,
        metadata: { ...object.metadata, name: `evil-${slice}`, namespace: 'evil' },
      });
    }
  };
  flap();
  scene.store.set({ ...route, metadata: inEvil });
  const timer = setInterval(flap, 1_000 / FLAPS_PER_SECOND);
  return { stop: () => clearInterval(timer) };
}

async function measure() {
  await using scene = await startLiveScene(storedObjects(routes), dir, {
    ...(profiles !== '' && { profiles }),
    checkInterval: '5s',
    reloadIntervalMs: 5_000,
  });
  const isServed = async () => (await askHost(ports.httpPort, hostOf(0))).status;
  await untilGood('the first route', isServed, (status) => status === 200);
  await pause(QUIET_MS);
  const movedMs = await moved(scene, 3, QUIET_MS);
  const idle = await windowOf(scene, 1, seconds / 2, () => undefined);
  const changing = await windowOf(scene, CHURN_PER_SECOND, seconds, (index) => churn(scene, index));
  await pause(QUIET_MS);
  const unused = await windowOf(scene, IRRELEVANT_PER_SECOND, seconds / 2, (index) =>
    irrelevant(scene, index),
  );
  if (profiles !== '') return { movedMs, idle, changing, unused, besideMs: [] };
  const flapping = startFlapping(scene);
  await pause(QUIET_MS);
  const besideMs = await moved(scene, 6, 1_000);
  flapping.stop();
  return { movedMs, idle, changing, unused, besideMs };
}

// The pods of all routes. They answer with the address at which they were reached.
createServer((asked, response) => response.end(asked.socket.localAddress)).listen(POD_PORT, '0.0.0.0');
process.stdout.write(`${JSON.stringify(await measure())}\n`);
process.exit(0);
