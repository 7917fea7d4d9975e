/** A program that measures HAProxy's throughput and cost with hawser's configuration and with four others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryOf } from '../../helpers/process-tree.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { chosen, commonOptions, readBenchOptions } from '../options.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { formatFigure } from '../reload/table.ts';
import { type DataScene, openDataScene } from './scene.ts';
import { type Subject, subjects } from './subjects.ts';

interface Sizes {
  readonly seconds: number;
  readonly rounds: number;
  readonly idle: number;
}

const AT_ONCE = { connections: 16, streams: 8 } as const;
/** By then HAProxy's first checks have passed and its start no longer counts towards its CPU time. */
const REST_MS = 2_000;

/** Each stream takes two open files in HAProxy, and root in a container cannot raise that limit. */
function mostStreams(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return Math.floor((Number(limit ?? 1_024) - 200) / 2);
}

async function connectOnce(scene: DataScene, seconds: number) {
  const before = scene.haproxyCpuMs();
  const { ended } = await scene.startClient('connect', seconds, AT_ONCE.connections);
  const { done, failed, elapsedMs } = await ended;
  const haproxyUs = ((scene.haproxyCpuMs() - before) * 1_000) / done;
  return { perSecond: (done * 1_000) / elapsedMs, haproxyUs, failed };
}

async function streamOnce(scene: DataScene, seconds: number) {
  const before = scene.haproxyCpuMs();
  const { ended } = await scene.startClient('stream', seconds, AT_ONCE.streams);
  const { bytes, elapsedMs } = await ended;
  const megabytes = bytes / 1e6;
  const haproxyMsPerGb = ((scene.haproxyCpuMs() - before) * 1_000) / megabytes;
  return { mbPerSecond: (megabytes * 1_000) / elapsedMs, haproxyMsPerGb };
}

/** Once per scene: at a second reload, the generation with the streams would still be draining. */
async function idleOnce(scene: DataScene, count: number) {
  const client = await scene.startClient('idle', 0, count);
  await pause(REST_MS);
  const anonymousMb = memoryOf(scene.haproxys()).anonymous / 1_024;
  const reloadMs = await scene.reload();
  const { open } = await client.stop();
  return { open, anonymousMb, reloadMs };
}

/** The spread of each figure over the rounds. */
function spreads<Name extends string>(
  rounds: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): Partial<Record<Name, Spread | null>> {
  const result: Partial<Record<Name, Spread | null>> = {};
  for (const name of names) result[name] = spreadOf(rounds.map((round) => round[name]));
  return result;
}

function figuresOf(rounds: readonly Round[]) {
  const connects = rounds.map(({ connect }) => connect);
  const streams = rounds.map(({ stream }) => stream);
  return {
    connect: spreads(connects, ['perSecond', 'haproxyUs', 'failed']),
    stream: spreads(streams, ['mbPerSecond', 'haproxyMsPerGb']),
    idle: spreads(
      rounds.map(({ idle }) => idle),
      ['open', 'anonymousMb', 'reloadMs'],
    ),
  };
}

interface Round {
  readonly connect: Awaited<ReturnType<typeof connectOnce>>;
  readonly stream: Awaited<ReturnType<typeof streamOnce>>;
  readonly idle: Awaited<ReturnType<typeof idleOnce>>;
}

async function measureRound(subject: Subject, { seconds, idle }: Sizes): Promise<Round> {
  await using scene = await openDataScene(subject);
  await pause(REST_MS);
  const connect = await connectOnce(scene, seconds);
  const stream = await streamOnce(scene, seconds);
  return { connect, stream, idle: await idleOnce(scene, idle) };
}

/** Rotates the order in each round, so that other load on the machine does not hit a single subject. */
function inTurn(all: readonly Subject[], round: number): readonly Subject[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

const usage = `usage: npm run bench:data [-- --json FILE] [--quick] [--subject SUBJECT]... [--rounds N] [--idle N]
  --json     also write the figures to this file
  --quick    one short round each, to try the bench itself
  --subject  ${subjects.join(', ')}; may be given several times
  --rounds   of each measurement (default: 5)
  --idle     streams that are open at a time (default: 10000, or what the limit of open files allows)`;
const { json, quick, subject } = commonOptions;
const values = readBenchOptions(usage, {
  json,
  quick,
  subject,
  rounds: { type: 'string', default: '5' },
  idle: { type: 'string', default: '10000' },
});
const names = chosen('subject', values.subject, subjects);
const pace = values.quick ? { seconds: 2, rounds: 1 } : { seconds: 5, rounds: Number(values.rounds) };
const sizes: Sizes = { ...pace, idle: Math.min(Number(values.idle), mostStreams()) };
ensureBuilt();
const machine = await describeMachine();
console.log(formatMachine(machine));
const wanted = subjects.filter((each) => names.includes(each));
const rounds = new Map(wanted.map((subject): [Subject, Round[]] => [subject, []]));
for (let round = 0; round < sizes.rounds; round += 1)
  for (const subject of inTurn(wanted, round)) rounds.get(subject)?.push(await measureRound(subject, sizes));
const results: Partial<Record<Subject, ReturnType<typeof figuresOf>>> = {};
for (const [subject, all] of rounds) {
  const figures = figuresOf(all);
  const { connect, stream, idle } = figures;
  results[subject] = figures;
  console.log(`${subject}
  TLS connections/s    ${formatFigure(connect.perSecond)}, failed ${formatFigure(connect.failed)}
  HAProxy us each      ${formatFigure(connect.haproxyUs)}
  streaming MB/s       ${formatFigure(stream.mbPerSecond)}
  HAProxy ms/GB        ${formatFigure(stream.haproxyMsPerGb)}
  idle streams         ${formatFigure(idle.open)}: ${formatFigure(idle.anonymousMb)} MB anonymous, reload ${formatFigure(idle.reloadMs)} ms`);
  const report = { subjects: results, sizes, machine, quick: values.quick };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
