import { failureLines, seconds, troubleLines } from '../../engine/supervise/status-lines.ts';
import type { SupervisorStatus } from './supervisor-status.ts';

/** A supervisor's status in lines of at most 80 columns, except for HAProxy's own messages. */
export function statusLines(status: SupervisorStatus): readonly string[] {
  return [
    `state       ${status.phase}`,
    ...troubleLines(status),
    ...currentLines(status.current),
    ...status.draining.map(
      (it) => `draining    ${describe(it)}, ends within ${seconds(it.terminateInMs)}: ${it.reason}`,
    ),
    ...cutShortLines(status.lastCutShort),
    ...changeLines(status.changes),
    ...(status.restart === null
      ? []
      : [`restart     in ${seconds(status.restart.inMs)}, failures in a row: ${status.restart.failures}`]),
    ...failureLines(status),
  ];
}

function cutShortLines(last: SupervisorStatus['lastCutShort']): readonly string[] {
  if (last === undefined) return [];
  const flag = last.limit === 'memory' ? '--max-draining-memory' : '--max-draining';
  return [`cut short   generation ${last.generation}, ${seconds(last.agoMs)} ago, by ${flag}`];
}

function changeLines(changes: SupervisorStatus['changes']): readonly string[] {
  if (changes === undefined || changes.made + changes.repaired + changes.refused === 0) return [];
  const { made, repaired, refused, lastRefusal } = changes;
  return [
    `changes     ${made} at runtime, ${repaired} manual ones reverted, ${refused} refused`,
    ...(lastRefusal === undefined ? [] : [`            the last refusal: ${lastRefusal}`]),
  ];
}

function currentLines(current: SupervisorStatus['current']): readonly string[] {
  if (current === null) return ['serving     nothing'];
  const source = current.config === 'live' ? '' : ', on the LAST GOOD copy of the configuration';
  return [
    `serving     ${describe(current)}${source}`,
    `config      revision ${current.revision?.slice(0, 16) ?? 'unknown'}, file sha256 ${current.configSha256.slice(0, 16)}`,
  ];
}

type Generation = Pick<SupervisorStatus['draining'][number], 'generation' | 'pid' | 'ageMs' | 'sessions'>;

function describe({ generation, pid, ageMs, sessions }: Generation): string {
  return `generation ${generation}, pid ${pid}, for ${seconds(ageMs)}, sessions ${sessions ?? 'unknown'}`;
}
