import * as z from 'zod/mini';

/** All times are milliseconds of the monotonic clock, which all processes of the machine share. */
const time = z.number();

/** `empty`: closed without a whole answer. `wrong`: an answer that no backend gives. */
export const lossReasons = ['refused', 'reset', 'empty', 'timeout', 'wrong', 'other'] as const;
export type LossReason = (typeof lossReasons)[number];

const summarySchema = z.object({
  kind: z.literal('summary'),
  startedAtMs: time,
  endedAtMs: time,
  /** Connections started; those still open when the load was stopped are in neither `ok` nor `lost`. */
  connections: z.number(),
  ok: z.number(),
  lost: z.partialRecord(z.enum(lossReasons), z.number()),
  /** Answered, but after more than 500 ms. */
  slow: z.number(),
  slowestMs: z.number(),
  /** How far the generator itself fell behind its schedule, at worst: judge `slow` by it. */
  latestStartMs: z.number(),
  /** Answers by the name of the backend. */
  servers: z.record(z.string(), z.number()),
  streams: z.object({ opened: z.number(), cut: z.number(), refused: z.number(), open: z.number() }),
  cpuMs: z.number(),
});
export type LoadSummary = z.infer<typeof summarySchema>;

/** One line of the generator's output. */
export const loadEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), atMs: time }),
  z.object({ kind: z.literal('lost'), startedAtMs: time, atMs: time, reason: z.enum(lossReasons) }),
  /** The first good answer to a connection that began after a lost one. */
  z.object({ kind: z.literal('ok-again'), startedAtMs: time, atMs: time }),
  z.object({ kind: z.literal('cut'), openedAtMs: time, atMs: time }),
  /** The prober got this text for the first time. */
  z.object({ kind: z.literal('served'), value: z.string(), atMs: time }),
  summarySchema,
]);
export type LoadEvent = z.infer<typeof loadEventSchema>;

/** The generator's task, as the JSON of its only argument. */
export const loadPlanSchema = z.object({
  host: z.string(),
  port: z.number(),
  /** The Host header; `host` if absent. */
  hostHeader: z.optional(z.string()),
  /** New connections per second, with one request each; 0 for none. */
  ratePerSecond: z.number(),
  timeoutMs: z.number(),
  /** Streams held open at all times; a cut one is reopened at once. */
  streams: z.number(),
  /** The first opening of the streams is spread over this time. */
  streamRampMs: z.number(),
  /** Answers from other servers are `wrong`. */
  servers: z.array(z.string()),
  /** A port that tells which configuration is served, asked again `gapMs` after each answer. */
  probe: z.nullable(z.object({ port: z.number(), gapMs: z.number() })),
});
export type LoadPlan = z.infer<typeof loadPlanSchema>;
