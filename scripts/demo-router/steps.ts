import { parseStatisticsPage } from '../../src/api-lb/server-rows.ts';
import { askRuntimeApi } from '../../src/haproxy/runtime-api.ts';
import { look } from '../demo/look.ts';
import type { Step } from '../demo/round.ts';
import { until } from '../demo/until.ts';
import { addressOf, endpoints, extraRoute, hosts, pairOf, refusedRoute, thief } from './routes.ts';
import type { Stage } from './stage.ts';

const DEADLINE_MS = 60_000;
/** One pod is terminated as Kubernetes would, the other crashes. */
const [restarted, crashed] = ['bank-1', 'web-1'] as const;
const addresses = [restarted, crashed].map((name) => `${addressOf(name)}:`);

/** One round, which ends in the initial state. */
export const steps: readonly Step<Stage>[] = [
  { title: 'a route is added', run: addRoute },
  { title: 'it goes to another service', run: editRoute },
  { title: 'its key is of another one', run: mismatch },
  { title: 'a path is claimed twice', run: claimTwice },
  { title: 'HAProxy refuses a route', run: refuse },
  { title: 'pods restart, one crashes', run: restartPods },
  { title: 'the added routes go', run: removeRoutes },
];

async function addRoute(stage: Stage, signal: AbortSignal): Promise<string> {
  await show(stage, [extraRoute('web')]);
  return `${await answer(stage, signal, /^web-/)} answers, ${await generation(stage)}`;
}

async function editRoute(stage: Stage, signal: AbortSignal): Promise<string> {
  await show(stage, [extraRoute('bank')]);
  return `${await answer(stage, signal, /^bank-/)} answers, ${await generation(stage)}`;
}

async function mismatch(stage: Stage, signal: AbortSignal): Promise<string> {
  const one = certificate(stage);
  const other = certificate(stage);
  await show(stage, [extraRoute('bank', { certificate: one.certificate, key: other.key })]);
  const reason = await reasonOf(stage, signal, 'extra');
  await answer(stage, signal, /^503$/);
  return reason;
}

async function claimTwice(stage: Stage, signal: AbortSignal): Promise<string> {
  await show(stage, [extraRoute('bank'), thief]);
  return await reasonOf(stage, signal, 'thief');
}

async function refuse(stage: Stage, signal: AbortSignal): Promise<string> {
  await show(stage, [extraRoute('bank'), thief, refusedRoute]);
  return await reasonOf(stage, signal, 'refused');
}

/** A restarting pod becomes unready, stops once it has no sessions, and comes back. */
async function restartPods(stage: Stage, signal: AbortSignal): Promise<string> {
  const { api, lasting, pods, traffic, ask } = stage;
  const rest = [extraRoute('bank'), thief, refusedRoute];
  await traffic.harm({ kind: 'server', name: crashed }, () => pods.stop(crashed));
  await api.show([...lasting, ...rest, ...endpoints([restarted, crashed])]);
  await until('nobody to be on the pods', () => isLeft(stage), limits(signal));
  await pods.stop(restarted);
  for (const name of [restarted, crashed]) await pods.start(name);
  await show(stage, rest);
  await until(`${crashed} to serve`, async () => (await ask(hosts.plain)) === crashed, limits(signal));
  await until(
    `${restarted} to serve`,
    async () => (await ask(hosts.reencrypt)) === restarted,
    limits(signal),
  );
  return `both are back, ${await generation(stage)}`;
}

async function removeRoutes(stage: Stage, signal: AbortSignal): Promise<string> {
  await show(stage, []);
  await answer(stage, signal, /^503$/);
  return `as before, ${await generation(stage)}`;
}

/** Sets the API's objects to the permanent routes, all pods, and these. */
async function show({ api, lasting }: Stage, more: Parameters<Stage['api']['show']>[0]): Promise<void> {
  await api.show([...lasting, ...more, ...endpoints()]);
}

/** Whether the pods have no sessions left. HAProxy keeps a removed server until its requests have ended. */
async function isLeft({ sockets }: Stage): Promise<boolean> {
  const known = parseStatisticsPage(
    (await askRuntimeApi(sockets.statsSocket, 'show stat', 2_000)) ?? '',
  )?.servers;
  const { supervisor } = await look(sockets);
  const theirs = known?.filter(({ address }) => addresses.some((each) => address.startsWith(each)));
  const isIdle = theirs?.every(({ state, sessions }) => state === 'maintenance' && sessions === 0) ?? false;
  return isIdle && supervisor?.draining.length === 0;
}

async function answer({ ask }: Stage, signal: AbortSignal, expected: RegExp): Promise<string> {
  const wanted = async () => {
    const found = await ask(hosts.extra);
    return expected.test(found) && found;
  };
  return await until(`${hosts.extra} to answer ${expected.source}`, wanted, limits(signal));
}

/** Waits for the reason why a route is not admitted. */
async function reasonOf({ api }: Stage, signal: AbortSignal, name: string): Promise<string> {
  const reason = async () => {
    const admitted = (await api.routes()).find((route) => route.name === name)?.admitted;
    return admitted !== 'yes' && admitted;
  };
  return await until(`${name} to be rejected`, reason, limits(signal));
}

async function generation({ sockets }: Stage): Promise<string> {
  const { supervisor } = await look(sockets);
  return `generation ${supervisor?.current?.generation ?? '?'}`;
}

function certificate({ authority }: Stage) {
  return pairOf(authority.issue({ commonName: hosts.extra, dnsNames: [hosts.extra] }));
}

function limits(signal: AbortSignal) {
  return { deadlineMs: DEADLINE_MS, signal };
}
