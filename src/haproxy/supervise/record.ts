import * as z from 'zod/mini';
import { processSchema } from '../../engine/supervise/process-record.ts';
import type { State } from './state.ts';

export const recordSchema = z.object({
  nextNumber: z.int(),
  generations: z.array(
    z.object({
      number: z.int(),
      role: z.enum(['serving', 'starting', 'retiring']),
      /** Absent only while a process is being created. */
      master: z.optional(processSchema),
      workers: z.array(processSchema),
      config: z.enum(['live', 'last-good']),
      configSha256: z.string(),
      revision: z.optional(z.string()),
      since: z.number(),
      terminateAt: z.optional(z.number()),
    }),
  ),
});

/**
 * A supervisor's record, from which the next one learns about every process that may be running. It is written before a process is created. The next
 * supervisor finds unrecorded processes by their sockets.
 */
export type GenerationsRecord = z.infer<typeof recordSchema>;
export type RecordedGeneration = GenerationsRecord['generations'][number];

/** The processes of a state. Two states with equal records need no new file. */
export function recordOf(state: State): GenerationsRecord {
  const { serving, job, retiring } = state;
  const base = { workers: [], config: 'live' as const, configSha256: '', since: 0 };
  const generations: RecordedGeneration[] = [];
  if (serving !== undefined) {
    const { number, master, config, configSha256, revision, provenAt } = serving;
    generations.push({
      role: 'serving',
      number,
      master,
      workers: [...serving.workers],
      config,
      configSha256,
      ...(revision !== undefined && { revision }),
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
  return { nextNumber: state.nextNumber, generations };
}
