import { type Problem, problem } from '../../engine/examine/problem.ts';
import { type Fact, statusLabel } from '../../engine/examine/section.ts';
import { extraBackend } from '../extra-ports/extra-ports.ts';
import type { ExtraRows, ServerRow } from '../server-rows.ts';
import { type ApiLbNode, isAway, isDrained } from './api-lb-node.ts';

/** One line for each extra port: how many of its servers are up, and where it leads. */
export function extraPortFacts(node: ApiLbNode): readonly Fact[] {
  return (node.extraPorts ?? []).map((extra) => {
    const { up, away } = judged(extra);
    const all = extra.servers.length;
    const tone = up === all ? 'good' : up === 0 ? 'bad' : 'warn';
    const text = [wayOf(node, extra), ...away.map(wordsOf)].filter((part) => part !== '').join('; ');
    return {
      name: `Extra port ${extra.name}`,
      state: statusLabel(tone, `${up} of ${all} servers up`),
      ...(text !== '' && { text }),
    };
  });
}

/** One for each port, since a dead node is missing at all of them. Drained servers are named as API servers. */
export function extraPortProblems(node: ApiLbNode): readonly (Problem | false)[] {
  return [...notServed(node), ...notUp(node)];
}

/** Clients of such a port are redirected to where nothing listens. */
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
    const { up, away } = judged(extra);
    const failed = away.filter((row) => !isDrained(node, row));
    if (failed.length === 0) return false;
    const words = failed.map(wordsOf).join('; ');
    return up === 0
      ? problem('outage', `no server of extra port ${extra.name} is up: ${words}`)
      : problem('redundancy', `extra port ${extra.name}: ${words}`);
  });
}

function judged({ servers }: ExtraRows) {
  const away = servers.filter(isAway);
  return { up: servers.length - away.length, away };
}

function wordsOf({ name, state, check }: ServerRow): string {
  return `${name} ${state} (${check})`;
}

/** Empty while the monitor does not answer. */
function wayOf({ haproxyMonitor }: ApiLbNode, { name }: ExtraRows): string {
  const found = haproxyMonitor?.extraPorts?.find((each) => each.name === name);
  return found === undefined
    ? ''
    : `VIP:${found.port} -> ${found.listenPort} -> servers' ${found.serverPort}`;
}
