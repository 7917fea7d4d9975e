import {
  changeProblem,
  failureProblem,
  type Problem,
  problem,
  problemsAmong,
  troubleProblem,
} from '../../engine/examine/problem.ts';
import { DRAIN_ANNOTATION } from '../../engine/kube/control-plane/server-objects.ts';
import { ageText, limitText } from '../../engine/system/text/readable-text.ts';
import type { ServerRow } from '../server-rows.ts';
import { type ApiLbNode, hasMonitor, isAway, isDrained } from './api-lb-node.ts';
import { extraPortProblems } from './extra-ports.ts';

/** Problems of the node's HAProxy, API servers and configuration. */
export function haproxyProblems(node: ApiLbNode): readonly Problem[] {
  return problemsAmong([...serving(node), ...servers(node), ...extraPortProblems(node), ...monitored(node)]);
}

function serving(node: ApiLbNode) {
  const { haproxySupervisor } = node;
  const isSilent = node.servers === null && hasMonitor(node);
  if (haproxySupervisor === null)
    return [isSilent && problem('outage', "HAProxy's statistics page does not answer")];
  const { current, phase, lastFailure, restart, trouble } = haproxySupervisor;
  const again = restart === null ? '' : `, next attempt within ${limitText(restart.inMs)}`;
  return [
    current === null && problem('outage', `HAProxy does not run: ${phase}${again}`),
    current !== null &&
      isSilent &&
      problem('outage', 'HAProxy runs, but its statistics page does not answer'),
    current?.config === 'last-good' &&
      problem('change', 'HAProxy runs on the last good copy of its configuration'),
    troubleProblem('haproxy-supervisor', trouble),
    failureProblem('HAProxy', lastFailure),
  ];
}

const STATES: Readonly<Record<ServerRow['state'], string>> = {
  up: 'up',
  down: 'down',
  draining: 'draining',
  maintenance: 'in maintenance',
  unchecked: 'not checked',
};

function servers(node: ApiLbNode) {
  const { servers: seen } = node;
  const away = (seen ?? []).filter(isAway);
  return [
    away.length > 0 && away.length === seen?.length && problem('outage', 'no API server is up'),
    ...away.map((row) => {
      const { name, address, state, sinceMs, check } = row;
      if (isDrained(node, row))
        return problem(
          'redundancy',
          `API server ${name} (${address}) is drained: its Node has ${DRAIN_ANNOTATION}=drain`,
        );
      const what = `API server ${name} (${address}) has been ${STATES[state]} for ${ageText(sinceMs)}`;
      return problem('redundancy', `${what}: ${check}`);
    }),
  ];
}

function monitored({ haproxyMonitor, servers: seen }: ApiLbNode) {
  if (haproxyMonitor === null) return [];
  const { apiReachable, held, usable, redirect, redirectProblem, metricsProblem, lastChange } =
    haproxyMonitor;
  const someUp = seen?.some(({ state }) => state === 'up') ?? true;
  return [
    usable === false && someUp && problem('outage', 'HAProxy has no usable server (/haproxy_monitor)'),
    redirect === 'failed' && problem('redundancy', redirectProblem ?? 'the redirect cannot be added'),
    redirect === 'absent' &&
      usable === true &&
      problem('redundancy', 'the VIP is not redirected to HAProxy on this node'),
    changeProblem('haproxy.cfg', lastChange),
    held !== null && problem('blind', `a list of API servers is held back: ${held}`),
    metricsProblem !== undefined &&
      problem('blind', `metrics of the pod haproxy are not served: ${metricsProblem}`),
    !apiReachable && problem('blind', 'no API server answers the HAProxy monitor: its list may be outdated'),
  ];
}
