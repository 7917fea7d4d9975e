import * as z from 'zod/mini';

/** All times are milliseconds of the monotonic clock, which every process of the machine shares. */
const time = z.number();

/** `empty`: closed without a whole answer. `wrong`: an answer that no backend gives. */
export const lossReasons = ['refused', 'reset', 'empty', 'timeout', 'wrong', 'other'] as const;
export type LossReason = (typeof lossReasons)[number];

const summarySchema = z.object({
  kind: z.literal('summary'),
  startedAtMs: time,
  endedAtMs: time,
  /** Connections begun; those still open when the load was stopped are in neither `ok` nor `lost`. */
  connections: z.number(),
  ok: z.number(),
  lost: z.partialRecord(z.enum(lossReasons), z.number()),
  /** Answered, but after more than 500 ms. */
  slow: z.number(),
  slowestMs: z.number(),
  /** How far behind its schedule the generator itself fell, at worst: judge `slow` by it. */
  latestStartMs: z.number(),
  /** Answers by the name that the backend gave. */
  servers: z.record(z.string(), z.number()),
  streams: z.object({ opened: z.number(), cut: z.number(), refused: z.number(), open: z.number() }),
  cpuMs: z.number(),
});
export type LoadSummary = z.infer<typeof summarySchema>;

/** One line of the generator's output. */
export const loadEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), atMs: time }),
  z.object({ kind: z.literal('lost'), startedAtMs: time, atMs: time, reason: z.enum(lossReasons) }),
  /** The first good answer to a connection that began after a lost one did. */
  z.object({ kind: z.literal('ok-again'), startedAtMs: time, atMs: time }),
  z.object({ kind: z.literal('cut'), openedAtMs: time, atMs: time }),
  /** The prober saw this text served for the first time. */
  z.object({ kind: z.literal('served'), value: z.string(), atMs: time }),
  summarySchema,
]);
export type LoadEvent = z.infer<typeof loadEventSchema>;

/** What the generator is asked to do, as the JSON of its only argument. */
export const loadPlanSchema = z.object({
  host: z.string(),
  port: z.number(),
  /** The Host header; `host` if absent. */
  hostHeader: z.optional(z.string()),
  /** New connections a second, each one request; 0 for none. */
  ratePerSecond: z.number(),
  timeoutMs: z.number(),
  /** Streams held open at any time; a cut one is opened again at once. */
  streams: z.number(),
  /** The streams' first opening is spread over this time. */
  streamRampMs: z.number(),
  /** Answers from others are `wrong`. */
  servers: z.array(z.string()),
  /** A port that says which configuration is served, asked again `gapMs` after each answer. */
  probe: z.nullable(z.object({ port: z.number(), gapMs: z.number() })),
});
export type LoadPlan = z.infer<typeof loadPlanSchema>;
