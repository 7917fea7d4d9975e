import * as z from 'zod/mini';
import { readText } from '../../engine/system/file/read-text.ts';
import { createRunFile } from '../../engine/system/file/run-file.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { State } from './state.ts';

const processSchema = z.object({ pid: z.int(), startTicks: z.int() });
const recordSchema = z.object({
  epoch: z.string(),
  nextNumber: z.int(),
  generations: z.array(
    z.object({
      number: z.int(),
      role: z.enum(['serving', 'starting', 'retiring']),
      /** Missing only from just before a process is made until just after. */
      master: z.optional(processSchema),
      workers: z.array(processSchema),
      config: z.enum(['live', 'last-good']),
      configSha256: z.string(),
      since: z.number(),
      terminateAt: z.optional(z.number()),
    }),
  ),
});

/** What a supervisor records, so that the next one knows every process that it may find. */
export type ProcessRecord = z.infer<typeof recordSchema>;
export type RecordedGeneration = ProcessRecord['generations'][number];

/** The processes in a state. Two states with equal records need no new file. */
export function recordOf(state: State, epoch: string): ProcessRecord {
  const { serving, job, retiring } = state;
  const base = { workers: [], config: 'live' as const, configSha256: '', since: 0 };
  const generations: RecordedGeneration[] = [];
  if (serving !== undefined) {
    const { number, master, config, configSha256, provenAt } = serving;
    generations.push({
      role: 'serving',
      number,
      master,
      workers: [...serving.workers],
      config,
      configSha256,
      since: provenAt,
    });
  }
  if (job?.stage.kind === 'starting')
    generations.push({ ...base, role: 'starting', number: job.stage.number });
  if (job?.stage.kind === 'proving') {
    generations.push({ ...base, role: 'starting', number: job.stage.number, master: job.stage.master });
  }
  for (const { number, master, workers, since, terminateAt } of retiring) {
    generations.push({
      ...base,
      role: 'retiring',
      number,
      master,
      workers: [...workers],
      since,
      terminateAt,
    });
  }
  return { epoch, nextNumber: state.nextNumber, generations };
}

/**
 * Writes the record at each change, before the process that it names is made. A failed write is repeated at each look at
 * a generation. Supervising goes on without it, and the next supervisor finds unrecorded processes by their sockets.
 */
export function createRecorder(path: string, epoch: string, log: Log): (state: State) => void {
  const write = createRunFile(path, 0o600, {
    failed: (message) => log({ event: 'record-not-written', level: 'error', path, message }),
    recovered: () => log({ event: 'record-written', level: 'info', path }),
  });
  return (state) => write(JSON.stringify(recordOf(state, epoch)));
}

type Log = (event: { event: string; level: 'info' | 'error'; path: string; message?: string }) => void;

/** Undefined if it is missing, damaged, or from another boot or pid namespace. */
export function readRecord(path: string, epoch: string): ProcessRecord | undefined {
  const record = recordSchema.safeParse(parseJson(readText(path))).data;
  return record?.epoch === epoch ? record : undefined;
}
