import { ageText, limitText, printable } from '../../engine/system/text/readable-text.ts';
import type { NodeStatus } from './node-status.ts';
import type { Problem } from './problem.ts';

type Server = NonNullable<NodeStatus['servers']>[number];

/** What is wrong with HAProxy of a node, with its servers and its configuration. */
export function haproxyProblems(node: NodeStatus): readonly Problem[] {
  return [...serving(node), ...servers(node), ...monitored(node)];
}

function serving({ haproxySupervisor, servers: seen }: NodeStatus): readonly Problem[] {
  if (haproxySupervisor === null)
    return seen === null ? [{ rank: 'outage', text: 'HAProxy does not answer its statistics page' }] : [];
  const { current, phase, lastFailure, restart } = haproxySupervisor;
  const again = restart === null ? '' : `, next attempt within ${limitText(restart.inMs)}`;
  return [
    ...(current === null
      ? [{ rank: 'outage', text: `HAProxy does not run: ${phase}${again}` } as const]
      : seen === null
        ? [{ rank: 'outage', text: 'HAProxy runs but does not answer its statistics page' } as const]
        : []),
    ...(current?.config === 'last-good'
      ? [{ rank: 'change', text: 'HAProxy runs on the last good copy of its configuration' } as const]
      : []),
    ...(lastFailure === null
      ? []
      : [
          {
            rank: 'change',
            text: printable(
              `HAProxy's configuration was refused ${ageText(lastFailure.agoMs)} ago at "${lastFailure.stage}": ${lastFailure.message}`,
            ),
          } as const,
        ]),
  ];
}

const STATES: Readonly<Record<Server['state'], string>> = {
  up: 'up',
  down: 'down',
  draining: 'being drained',
  maintenance: 'in maintenance',
  unchecked: 'not checked',
};

function servers({ servers: seen }: NodeStatus): readonly Problem[] {
  if (seen === null) return [];
  const away = seen.filter(({ state }) => state !== 'up' && state !== 'unchecked');
  const all: readonly Problem[] =
    seen.length > 0 && away.length === seen.length
      ? [{ rank: 'outage', text: 'no API server is up', subject: 'no-server' }]
      : [];
  return [
    ...all,
    ...away.map(
      ({ name, address, state, sinceMs, check }): Problem => ({
        rank: 'redundancy',
        subject: `server ${name}`,
        text: printable(
          `API server ${name} (${address}) is ${STATES[state]} for ${ageText(sinceMs)}: ${check}`,
        ),
      }),
    ),
  ];
}

function monitored({ haproxyMonitor, servers: seen }: NodeStatus): readonly Problem[] {
  if (haproxyMonitor === null) return [];
  const { apiReachable, held, usable, redirect, redirectProblem, lastChange } = haproxyMonitor;
  const someUp = seen?.some(({ state }) => state === 'up') ?? true;
  return [
    ...(usable === false && someUp
      ? [{ rank: 'outage', text: 'HAProxy has no usable server (/haproxy_monitor)' } as const]
      : []),
    ...(redirect === 'failed'
      ? [{ rank: 'redundancy', text: printable(redirectProblem ?? 'the redirect cannot be had') } as const]
      : []),
    ...(redirect === 'absent' && usable === true
      ? [{ rank: 'redundancy', text: 'the VIP is not redirected to HAProxy on this node' } as const]
      : []),
    ...changeProblem('haproxy.cfg', lastChange),
    ...(held === null
      ? []
      : [{ rank: 'blind', text: `a list of API servers is held back: ${held}` } as const]),
    ...(apiReachable
      ? []
      : [
          {
            rank: 'blind',
            text: 'no API server answers the HAProxy monitor: its list may be outdated',
            subject: 'api-unreachable',
          } as const,
        ]),
  ];
}

/** A configuration that its monitor could not bring into service. */
export function changeProblem(
  file: string,
  change: NonNullable<NodeStatus['haproxyMonitor']>['lastChange'],
): readonly Problem[] {
  if (change === null || change.result === 'unchanged' || change.result === 'reloaded') return [];
  const { cause, result, message = '', agoMs } = change;
  const text = `${file} (${cause}) is ${result} since ${ageText(agoMs)}: ${message}`;
  return [{ rank: 'change', text: printable(text) }];
}
