import { failureLines, seconds, troubleLines } from '../../engine/supervise/status-lines.ts';
import type { SharedStatus } from '../../engine/supervise/status-schema.ts';

/** The part of a keepalived supervisor's status that is shown to a person. */
export interface ShownVrrpStatus extends Pick<SharedStatus, 'trouble' | 'lastFailure'> {
  readonly phase: string;
  readonly current: { readonly pid: number; readonly ageMs: number; readonly generation: number } | null;
  readonly instances: readonly {
    readonly name: string;
    readonly state: string;
    readonly priority: number;
    readonly sinceMs: number;
    readonly vips: readonly { readonly address: string; readonly present: boolean }[];
  }[];
  readonly trackFiles: readonly {
    readonly path: string;
    readonly value: number;
    readonly silent: boolean;
    readonly demoted?: boolean | undefined;
  }[];
  readonly restarts: number;
  readonly lastTransition: {
    readonly instance: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly agoMs: number;
  } | null;
}

/** A keepalived supervisor's status in lines, one fact each. */
export function vrrpStatusLines(status: ShownVrrpStatus): readonly string[] {
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

function instanceLine({
  name,
  state,
  priority,
  sinceMs,
  vips,
}: ShownVrrpStatus['instances'][number]): string {
  const where = vips.map(({ address, present }) => `${address} ${present ? 'here' : 'not here'}`).join(', ');
  return `instance    ${name} ${state} for ${seconds(sinceMs)}, priority ${priority}: ${where}`;
}
