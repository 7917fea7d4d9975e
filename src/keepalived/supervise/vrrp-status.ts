import * as z from 'zod/mini';
import { failureLines, seconds, troubleLines } from '../../engine/supervise/status-lines.ts';
import { sharedStatusFields } from '../../engine/supervise/status-schema.ts';
import type { Immutable } from '../../engine/system/immutable.ts';

/** What a keepalived supervisor answers to `status`. Times are milliseconds: ages, and how long until something happens. */
export const vrrpStatusSchema = z.object({
  ok: z.literal(true),
  phase: z.enum(['waiting-for-configuration', 'starting', 'running', 'down', 'stopping', 'stopped']),
  wanted: z.enum(['up', 'down']),
  /** What runs; null where nothing does. `generation` counts the accepted configurations. */
  current: z.nullable(
    z.object({ pid: z.number(), ageMs: z.number(), generation: z.number(), configSha256: z.string() }),
  ),
  instances: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['MASTER', 'BACKUP', 'FAULT', 'STOP', 'UNKNOWN']),
      priority: z.number(),
      sinceMs: z.number(),
      /**
       * It has been BACKUP for longer than it would be without a holder's adverts, so some arrive. Missing if the
       * supervisor does not know.
       */
      hearsHolder: z.optional(z.boolean()),
      /** Whether each VIP is on an interface of this node at this moment. */
      vips: z.array(z.object({ address: z.string(), present: z.boolean() })),
    }),
  ),
  /** `instances`: whose priority it counts for. */
  trackFiles: z.array(
    z.object({
      path: z.string(),
      instances: z.array(z.string()),
      value: z.number(),
      silent: z.boolean(),
      /** What a silent monitor asked does not answer either: the value is the supervisor's. */
      demoted: z.optional(z.boolean()),
    }),
  ),
  restarts: z.number(),
  lastTransition: z.nullable(
    z.object({
      instance: z.string(),
      from: z.string(),
      to: z.string(),
      priority: z.number(),
      reason: z.string(),
      agoMs: z.number(),
    }),
  ),
  ...sharedStatusFields,
});

export type VrrpStatus = Immutable<z.infer<typeof vrrpStatusSchema>>;

/** A keepalived supervisor's status in lines, one fact each. */
export function vrrpStatusLines(status: VrrpStatus): readonly string[] {
  const { current, lastTransition } = status;
  return [
    `state       ${status.phase}, restarts ${status.restarts}`,
    ...troubleLines(status),
    current === null
      ? 'keepalived  nothing runs'
      : `keepalived  pid ${current.pid}, for ${seconds(current.ageMs)}, configuration ${current.generation}`,
    ...status.instances.map(instanceLine),
    ...status.trackFiles.map(
      ({ path, value, silent, demoted }) =>
        `track file  ${path}: ${value}${silent ? `, its monitor is SILENT${demoted === true ? ' (the value is ours)' : ''}` : ''}`,
    ),
    ...(lastTransition === null
      ? []
      : [
          `transition  ${seconds(lastTransition.agoMs)} ago: ${lastTransition.instance} ${lastTransition.from} -> ${lastTransition.to}: ${lastTransition.reason}`,
        ]),
    ...failureLines(status),
  ];
}

function instanceLine({ name, state, priority, sinceMs, vips }: VrrpStatus['instances'][number]): string {
  const where = vips.map(({ address, present }) => `${address} ${present ? 'here' : 'not here'}`).join(', ');
  return `instance    ${name} ${state} for ${seconds(sinceMs)}, priority ${priority}: ${where}`;
}
