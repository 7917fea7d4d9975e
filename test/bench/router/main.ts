/** A program that measures what routes cost the router, with `hash` and `regex` maps side by side. See `usage`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { decide } from '../../../src/router/decide/decide.ts';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';
import { startRouter } from '../../helpers/router/running-router.ts';
import { type Figures, meets, spreadOf, type Targets } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { formatTarget } from '../reload/table.ts';
import { type ChangeCost, changeCost, formatChanges } from './change-cost.ts';
import { idleCost } from './idle-cost.ts';
import { type LiveFigures, liveCost, renewalCost } from './live-cost.ts';
import { formatChange, formatLive } from './live-report.ts';
import { objectsOf, podAddresses } from './objects.ts';
import { type RenderCost, renderCost } from './render-cost.ts';
import {
  formatGrowth,
  formatRenders,
  formatRequests,
  formatStatuses,
  growthOf,
  lookups,
  type RenderFigures,
  type RequestFigures,
} from './report.ts';
import { requestCostUs, residentKb, type Subject } from './request-cost.ts';
import { statusCost } from './status-cost.ts';

const usage = `usage: npm run bench:router [-- --json FILE] [--routes N]... [--rounds N] [--requests N] [--reloads N] [--certificates N] [--seconds N] [--changes [--profiles DIR]]
  --routes    sizes (default: 100, 1000 and 10000); requests are compared between the smallest and the largest
  --rounds    of each measurement (default: 5)
  --reloads   of a running router under 500 new connections a second, at the smallest size (default: 100; a second each)
  --certificates  of a router, one of them renewed (default: 5000)
  --seconds   of endpoint changes, at 1,000 routes (default: 40; half as many of what costs nothing)
  --changes   only what changes of endpoints cost
  --profiles  a folder for CPU profiles of the controller and the supervisor
  --requests  of each round, where lookups are by hash; a twentieth of it by regex (default: 10000)`;

const CHANGED_ROUTES = 1_000;

/** Checks of 30,000 servers would be most of HAProxy's work. */
const env = { ROUTER_BACKEND_CHECK_INTERVAL: '20d' };
const changeTargets = {
  movedMs: { kind: 'at-most', value: 12 },
  changingS: { kind: 'at-most', value: 4.5 },
  unusedControllerS: { kind: 'at-most', value: 0.5 },
  idleSupervisorS: { kind: 'at-most', value: 0.2 },
  besideFlappingMs: { kind: 'at-most', value: 500 },
} as const;
const targets = {
  renderAndWriteMs: { kind: 'at-most', value: 500 },
  oneChangedMs: { kind: 'at-most', value: 50 },
  requestRatio: { kind: 'at-most', value: 1.15 },
  residentKbPerRoute: { kind: 'at-most', value: 35 },
  statusesCompleteMs: { kind: 'at-most', value: 2_000 },
  statusWritesPerRoute: { kind: 'at-most', value: 1 },
  quietWrites: { kind: 'at-most', value: 10 },
  createdToServedMs: { kind: 'at-most', value: 2_000 },
  endpointMs: { kind: 'at-most', value: 50 },
  certificateMs: { kind: 'at-most', value: 50 },
  oneOfManyMs: { kind: 'at-most', value: 50 },
  oneOfManyReloads: { kind: 'at-most', value: 0 },
  hourReloads: { kind: 'at-most', value: 0 },
  burstReloads: { kind: 'at-most', value: 2 },
  lostInReloads: { kind: 'at-most', value: 0 },
  controllerMb: { kind: 'at-most', value: 150 },
  ...changeTargets,
} as const;

async function measureRender(routes: number, rounds: number): Promise<Omit<RenderFigures, 'routes'>> {
  const objects = objectsOf(routes);
  const settings = routerSettings(env);
  await renderCost(objects, settings);
  const costs: RenderCost[] = [];
  for (let round = 0; round < rounds; round += 1) costs.push(await renderCost(objects, settings));
  const of = (name: keyof RenderCost) => spreadOf(costs.map((cost) => cost[name]));
  return {
    decideMs: of('decideMs'),
    renderMs: of('renderMs'),
    writeMs: of('writeMs'),
    allMs: of('allMs'),
    checkCpuMs: of('checkCpuMs'),
    changedMs: of('changedMs'),
  };
}

async function startPod(namespace: NetNamespace, stack: AsyncDisposableStack): Promise<void> {
  for (const address of podAddresses)
    await namespace.run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  const [file, ...before] = namespace.prefix;
  const pod = spawn(file, [...before, process.execPath, join(import.meta.dirname, 'pod.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(() => void pod.kill('SIGKILL'));
  await once(pod.stdout, 'data');
}

/** All routers run side by side, and each round sends requests to them in turn. */
async function measureRequests(
  sizes: readonly number[],
  rounds: number,
  requests: number,
): Promise<readonly RequestFigures[]> {
  await using stack = new AsyncDisposableStack();
  const namespace = stack.use(await createNetNamespace());
  await startPod(namespace, stack);
  const subjects: (Subject & { readonly lookup: RequestFigures['lookup']; readonly kb: number })[] = [];
  for (const routes of sizes) {
    const { backends } = decide(objectsOf(routes), routerSettings(env)).model;
    for (const lookup of lookups) {
      const settings = { ...env, HAWSER_LOOKUP: lookup };
      const router = stack.use(await startRouter(backends, settings, undefined, namespace.prefix));
      subjects.push({ name: `${lookup} ${routes}`, routes, lookup, router, kb: residentKb(router.pid) });
    }
  }
  const costs = subjects.map(() => ({ hundred: [] as number[], all: [] as number[] }));
  for (let round = -1; round < rounds; round += 1)
    for (const [index, subject] of subjects.entries()) {
      const count = subject.lookup === 'hash' ? requests : Math.ceil(requests / 20);
      const hundred = await requestCostUs(namespace, subject, 100, count);
      const all = await requestCostUs(namespace, subject, subject.routes, count);
      // The first round opens connections and fills caches.
      if (round >= 0) costs[index]?.hundred.push(hundred);
      if (round >= 0) costs[index]?.all.push(all);
    }
  return subjects.map(({ routes, lookup, kb }, index) => ({
    routes,
    lookup,
    residentKb: kb,
    hundredHostsUs: spreadOf(costs[index]?.hundred ?? []),
    allHostsUs: spreadOf(costs[index]?.all ?? []),
  }));
}

async function run(
  sizes: readonly number[],
  rounds: number,
  requests: number,
  reloads: number,
  certificates: number,
  seconds: number,
  json: string | undefined,
): Promise<void> {
  const machine = await describeMachine();
  console.log(
    `${formatMachine(machine)}\nmedian (min-max) of ${rounds} rounds, three endpoints for each route\n`,
  );
  const renders: RenderFigures[] = [];
  for (const routes of sizes) renders.push({ routes, ...(await measureRender(routes, rounds)) });
  console.log(formatRenders(renders));
  const ends = [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])];
  const figures = await measureRequests(ends, rounds, requests);
  const statuses = await statusCost(1_000);
  const live: LiveFigures[] = [];
  for (const routes of sizes) live.push(await liveCost(routes, rounds, routes === sizes[0] ? reloads : 0));
  const oneOfMany = await renewalCost(certificates, rounds);
  const changes = await changeCost(CHANGED_ROUTES, rounds, seconds);
  const growth = { hash: growthOf(figures, 'hash'), regex: growthOf(figures, 'regex') };
  console.log(
    `\n${formatRequests(figures)}\n\n${formatGrowth(growth)}\n${formatStatuses(statuses)}\n\n${formatLive(live)}\n`,
  );
  console.log(`one of ${certificates} certificates renewed to served, ms: ${formatChange(oneOfMany)}\n`);
  console.log(`${formatChanges(changes)}\n`);
  console.log(`${await idleCost(reloads)}\n`);
  const results = {
    renderAndWriteMs: renders.at(-1)?.allMs?.median ?? null,
    oneChangedMs: renders.at(-1)?.changedMs?.median ?? null,
    requestRatio: growth.hash.hundredHosts,
    residentKbPerRoute: growth.hash.residentKbPerRoute,
    statusesCompleteMs: statuses.completeMs,
    statusWritesPerRoute: statuses.writesPerRoute,
    quietWrites: statuses.quietWrites,
    ...liveResults(live),
    oneOfManyMs: oneOfMany.ms?.median ?? null,
    oneOfManyReloads: oneOfMany.reloads,
    ...changeResults(changes),
  };
  printTargets(results, targets);
  const quick = rounds < 5 || (sizes.at(-1) ?? 0) < 10_000;
  const report = {
    renders,
    requests: figures,
    growth,
    statuses,
    live,
    oneOfMany,
    changes,
    results,
    machine,
    quick,
  };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}

/** Measures only what changes cost. */
async function runChanges(rounds: number, seconds: number, profiles: string | undefined): Promise<void> {
  const changes = await changeCost(CHANGED_ROUTES, rounds, seconds, profiles);
  console.log(`${formatMachine(await describeMachine())}\n\n${formatChanges(changes)}\n`);
  printTargets(changeResults(changes), changeTargets);
}

function changeResults({ moved, idle, changing, unused, beside }: ChangeCost): Figures {
  return {
    movedMs: moved?.median ?? null,
    changingS: changing.allS,
    unusedControllerS: unused.controllerS,
    idleSupervisorS: idle.supervisorS,
    besideFlappingMs: beside?.median ?? null,
  };
}

function printTargets(results: Figures, wanted: Targets): void {
  for (const [name, target] of Object.entries(wanted)) {
    const isMet = meets(results[name] ?? null, target);
    console.log(`${name}: ${formatTarget(target)}: ${isMet ? 'yes' : 'MISSED'}`);
  }
}

function liveResults(live: readonly LiveFigures[]) {
  const smallest = live[0];
  const largest = live.at(-1);
  const most = (of: (figures: LiveFigures) => number): number => Math.max(...live.map(of));
  return {
    createdToServedMs: largest?.createdMs?.median ?? null,
    endpointMs: largest?.endpoint.ms?.median ?? null,
    certificateMs: largest?.certificate.ms?.median ?? null,
    hourReloads: most(({ hourReloads }) => hourReloads),
    burstReloads: most(({ burstReloads }) => burstReloads),
    lostInReloads: smallest?.loaded?.lost ?? null,
    controllerMb: (largest?.routerKb ?? Number.NaN) / 1_024,
  };
}

try {
  const { values } = parseArgs({
    options: {
      json: { type: 'string' },
      routes: { type: 'string', multiple: true, default: ['100', '1000', '10000'] },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '10000' },
      reloads: { type: 'string', default: '100' },
      certificates: { type: 'string', default: '5000' },
      seconds: { type: 'string', default: '40' },
      changes: { type: 'boolean', default: false },
      profiles: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const sizes = values.routes.map(Number).sort((a, b) => a - b);
  const [rounds, requests, seconds] = [values.rounds, values.requests, values.seconds].map(Number) as [
    number,
    number,
    number,
  ];
  if (values.help) console.log(usage);
  else if (values.changes) await runChanges(rounds, seconds, values.profiles);
  else
    await run(
      ...([sizes, rounds, requests, Number(values.reloads)] as const),
      ...([Number(values.certificates), seconds, values.json] as const),
    );
} catch (error) {
  console.error(`${messageOf(error)}\n${usage}`);
  process.exitCode = 2;
}
