import { appendFileSync, copyFileSync } from 'node:fs';
import { readProcess, signalProcess } from '../../src/engine/system/process/processes.ts';
import { firstServers, programs, type ServerName } from './layout.ts';
import { look, type Sight } from './look.ts';
import type { Step } from './round.ts';
import type { Stage } from './stage.ts';
import { until } from './until.ts';

const victim: ServerName = 'cp-2';
const newcomer: ServerName = 'cp-4';

/** One round, which ends in the initial state. */
export const steps: readonly Step<Stage>[] = [
  { title: "HAProxy's worker dies", run: killWorker },
  { title: `${victim} is killed`, run: killServer },
  { title: `${victim} is started again`, run: startServer },
  { title: `${newcomer} joins the cluster`, prepare: ({ cluster }) => cluster.start(newcomer), run: addNode },
  { title: 'a broken template arrives', run: breakTemplate },
  { title: `${newcomer} leaves the cluster`, run: removeNode },
  { title: `${victim} proves itself`, run: takeBack },
];

async function killWorker(stage: Stage, signal: AbortSignal): Promise<string> {
  const before = await servingGeneration(stage, signal);
  const worker = readProcess(before.workers[0] ?? 0)?.id;
  if (worker === undefined) throw new Error('Cannot kill the worker: it is gone, expected one');
  const next = await stage.traffic.harm({ kind: 'worker', name: 'worker' }, () => {
    signalProcess(worker, 'SIGKILL');
    return watchFor(stage, signal, 'a new generation', ({ supervisor }) => {
      const number = supervisor?.current?.generation ?? 0;
      return number > before.generation && number;
    });
  });
  return `generation ${next} replaces ${before.generation}`;
}

async function killServer(stage: Stage, signal: AbortSignal): Promise<string> {
  await stage.traffic.harm({ kind: 'server', name: victim }, () => stage.cluster.kill(victim));
  await watchFor(stage, signal, `${victim} to be DOWN`, statusOf(victim, /^DOWN/));
  return 'others serve, then it is DOWN';
}

async function startServer(stage: Stage, signal: AbortSignal): Promise<string> {
  await stage.cluster.start(victim);
  await watchFor(stage, signal, `${victim} to pass a check`, statusOf(victim, /^(?:DOWN \d|UP)/));
  return 'checks well, is held back';
}

async function addNode(stage: Stage, signal: AbortSignal): Promise<string> {
  stage.cluster.setNodes([...firstServers, newcomer]);
  await watchFor(stage, signal, `${newcomer} to be served`, statusOf(newcomer, /^UP/));
  return `generation ${(await servingGeneration(stage, signal)).generation}: four servers`;
}

async function breakTemplate(stage: Stage, signal: AbortSignal): Promise<string> {
  const { journal, paths } = stage;
  const before = await servingGeneration(stage, signal);
  const limits = { deadlineMs: 20_000, signal };
  const rejections = journal.count('configuration-rejected');
  appendFileSync(paths.template, '  no-such-keyword\n');
  await until('the rejection', () => journal.count('configuration-rejected') > rejections, limits);
  const after = await servingGeneration(stage, signal);
  if (after.generation !== before.generation) throw new Error('Cannot go on: a broken template was served');
  const recoveries = journal.count('configuration-recovered');
  copyFileSync(programs.template, paths.template);
  await until('the good template', () => journal.count('configuration-recovered') > recoveries, limits);
  return `refused, generation ${before.generation} stays`;
}

async function removeNode(stage: Stage, signal: AbortSignal): Promise<string> {
  // Connections to a removed server are closed a quarter of a second later (docs/internals/decisions/0069).
  await stage.traffic.harm({ kind: 'server', name: newcomer }, () => {
    stage.cluster.setNodes(firstServers);
    return watchFor(stage, signal, `${newcomer} to be gone`, ({ servers }) => {
      return servers.length === firstServers.length;
    });
  });
  const { generation } = await servingGeneration(stage, signal);
  return `generation ${generation}: three servers`;
}

/** Waits until requests to the newcomer have ended before its process is killed. */
async function takeBack(stage: Stage, signal: AbortSignal): Promise<string> {
  const drained = ({ supervisor }: Sight) => supervisor?.draining.length === 0;
  await watchFor(stage, signal, 'older generations to drain', drained);
  await stage.cluster.kill(newcomer);
  await watchFor(stage, signal, `${victim} to be UP`, statusOf(victim, /^UP/));
  const serves = () => stage.traffic.recent().servers.has(victim);
  await until(`requests to ${victim}`, serves, { deadlineMs: 20_000, signal });
  return 'serves after its good checks';
}

type Sockets = Pick<Stage, 'paths'>;

/** HAProxy's slowest decision takes 13 checks 2 seconds apart, plus a margin. */
const DEADLINE_MS = 60_000;

async function watchFor<T>(
  { paths }: Sockets,
  signal: AbortSignal,
  what: string,
  condition: (sight: Sight) => T | undefined | false,
): Promise<T> {
  return await until(what, async () => condition(await look(paths)), { deadlineMs: DEADLINE_MS, signal });
}

async function servingGeneration(stage: Sockets, signal: AbortSignal) {
  return await watchFor(
    stage,
    signal,
    'a serving generation',
    ({ supervisor }) => supervisor?.current ?? undefined,
  );
}

function statusOf(name: ServerName, pattern: RegExp) {
  return ({ servers }: Sight) =>
    servers.some((server) => server.name === name && pattern.test(server.status));
}
