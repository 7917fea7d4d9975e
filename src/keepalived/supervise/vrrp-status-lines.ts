import { failureLines, seconds, troubleLines } from '../../engine/supervise/status-lines.ts';
import type { VrrpStatus } from './vrrp-status.ts';

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
