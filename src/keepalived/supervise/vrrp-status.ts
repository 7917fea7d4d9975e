import * as z from 'zod/mini';
import { failureLines, seconds, troubleLines } from '../../engine/supervise/status-lines.ts';
import { sharedStatusFields } from '../../engine/supervise/status-schema.ts';
import type { Immutable } from '../../engine/system/immutable.ts';

/** A keepalived supervisor's response to `status`. Times are durations in milliseconds. */
export const vrrpStatusSchema = z.object({
  ok: z.literal(true),
  phase: z.enum(['waiting-for-configuration', 'starting', 'running', 'down', 'stopping', 'stopped']),
  wanted: z.enum(['up', 'down']),
  /** The running keepalived; null if none runs. `generation` is the number of the accepted configuration. */
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
       * Whether a holder's adverts arrive: the instance has been BACKUP for longer than the master-down time. Missing if the supervisor
       * does not report it.
       */
      hearsHolder: z.optional(z.boolean()),
      /** Whether each VIP is on an interface of this node now. */
      vips: z.array(z.object({ address: z.string(), present: z.boolean() })),
    }),
  ),
  /** `instances`: the names of the instances that use the file. */
  trackFiles: z.array(
    z.object({
      path: z.string(),
      instances: z.array(z.string()),
      value: z.number(),
      silent: z.boolean(),
      /** The monitor is silent and the URL that it polled does not answer either, so the supervisor lowered the value. */
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

/** A keepalived supervisor's status as text, one fact per line. */
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
        `track file  ${path}: ${value}${silent ? `, its monitor is SILENT${demoted === true ? ' (value set by the supervisor)' : ''}` : ''}`,
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
