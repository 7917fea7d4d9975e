import { type Problem, problem } from '../../engine/examine/problem.ts';
import { type Fact, statusLabel } from '../../engine/examine/section.ts';
import { extraBackend } from '../extra-ports/extra-ports.ts';
import type { ExtraRows, ServerRow } from '../server-rows.ts';
import { type ApiLbNode, isAway, isDrained } from './api-lb-node.ts';

/** One line for each extra port: how many servers are up, and the ports on the path to them. */
export function extraPortFacts(node: ApiLbNode): readonly Fact[] {
  return (node.extraPorts ?? []).map((extra) => {
    const { up, away } = countUp(extra);
    const all = extra.servers.length;
    const tone = up === all ? 'good' : up === 0 ? 'bad' : 'warn';
    const text = [pathOf(node, extra), ...away.map(serverText)].filter((part) => part !== '').join('; ');
    return {
      name: `Extra port ${extra.name}`,
      state: statusLabel(tone, `${up} of ${all} servers up`),
      ...(text !== '' && { text }),
    };
  });
}

/** At most one problem for each extra port, since a failed node affects all ports. Drained servers are reported as API servers instead. */
export function extraPortProblems(node: ApiLbNode): readonly (Problem | false)[] {
  return [...notServed(node), ...notUp(node)];
}

/** Extra ports that the template does not print: their clients are redirected to a port on which nothing listens. */
function notServed({ haproxyMonitor, servers, extraPorts = [] }: ApiLbNode): readonly Problem[] {
  const listed = servers === null || servers.length === 0 ? [] : (haproxyMonitor?.extraPorts ?? []);
  return listed
    .filter(({ name }) => extraPorts.every((each) => each.name !== name))
    .map(({ name }) =>
      problem(
        'outage',
        `HAProxy does not serve extra port ${name}: its template prints no backend ${extraBackend(name)}`,
      ),
    );
}

function notUp(node: ApiLbNode): readonly (Problem | false)[] {
  return (node.extraPorts ?? []).map((extra) => {
    const { up, away } = countUp(extra);
    const failed = away.filter((row) => !isDrained(node, row));
    if (failed.length === 0) return false;
    const servers = failed.map(serverText).join('; ');
    return up === 0
      ? problem('outage', `no server of extra port ${extra.name} is up: ${servers}`)
      : problem('redundancy', `extra port ${extra.name}: ${servers}`);
  });
}

function countUp({ servers }: ExtraRows) {
  const away = servers.filter(isAway);
  return { up: servers.length - away.length, away };
}

function serverText({ name, state, check }: ServerRow): string {
  return `${name} ${state} (${check})`;
}

/** The ports from the VIP to the servers; empty while the monitor does not answer. */
function pathOf({ haproxyMonitor }: ApiLbNode, { name }: ExtraRows): string {
  const found = haproxyMonitor?.extraPorts?.find((each) => each.name === name);
  return found === undefined
    ? ''
    : `VIP:${found.port} -> ${found.listenPort} -> servers' ${found.serverPort}`;
}
