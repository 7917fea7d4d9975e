import { ageText, printable } from '../../engine/system/text/readable-text.ts';
import { changeProblem } from './haproxy-problems.ts';
import type { NodeStatus } from './node-status.ts';
import type { VipPriority } from './priority-text.ts';
import type { Problem } from './problem.ts';

/** What is wrong with keepalived of a node, with its health and its group. */
export function keepalivedProblems(node: NodeStatus): readonly Problem[] {
  return [...running(node), ...monitored(node)];
}

function running({ keepalivedSupervisor, keepalivedMonitor }: NodeStatus): readonly Problem[] {
  if (keepalivedSupervisor === null) return [];
  const { current, phase, wanted, lastFailure, instances, trackFiles } = keepalivedSupervisor;
  const stopped = wanted === 'down' ? 'it was asked to stop' : phase;
  const isExplained = keepalivedMonitor !== null;
  return [
    ...(current === null
      ? [{ rank: 'out-of-group', text: `keepalived does not run: ${stopped}` } as const]
      : []),
    ...instances.flatMap(({ name, state, vips }): readonly Problem[] => {
      const missing = vips.filter(({ present }) => present !== (state === 'MASTER'));
      return [
        ...(state === 'FAULT' && !isExplained
          ? [{ rank: 'out-of-group', text: `${name} is in FAULT: this node does not take part` } as const]
          : []),
        ...missing.map(
          ({ address, present }): Problem => ({
            rank: 'outage',
            text: `${address} is ${present ? '' : 'not '}on an interface, and ${name} is ${state}`,
          }),
        ),
      ];
    }),
    ...trackFiles
      .filter(({ silent }) => silent)
      .map(
        ({ path, value }): Problem => ({
          rank: 'program',
          text: `${path} is not refreshed: keepalived adds ${value} for a silent monitor`,
        }),
      ),
    ...(lastFailure === null
      ? []
      : [
          {
            rank: 'change',
            text: printable(
              `keepalived's configuration was refused ${ageText(lastFailure.agoMs)} ago at "${lastFailure.stage}": ${lastFailure.message}`,
            ),
          } as const,
        ]),
  ];
}

function monitored({ keepalivedMonitor }: NodeStatus): readonly Problem[] {
  if (keepalivedMonitor === null) return [];
  const { priorities, virtualRouterIdTaken, planned, lastChange } = keepalivedMonitor;
  return [
    ...(virtualRouterIdTaken === null
      ? []
      : [{ rank: 'out-of-group', text: printable(virtualRouterIdTaken) } as const]),
    ...priorities.flatMap(priorityProblems),
    ...changeProblem('keepalived.conf', lastChange),
    ...(planned?.refused
      ? [{ rank: 'change', text: printable(`${planned.change} is refused: ${planned.refused}`) } as const]
      : []),
  ];
}

/**
 * What an operator asked for is no problem, and no one relies on a drained node: what fails there only leaves
 * less. The local API server is seen among HAProxy's servers.
 */
function priorityProblems({ kind, checks, steered }: VipPriority): readonly Problem[] {
  const [server, question, ...others] = checks;
  const first = [server, question].filter((check) => check?.state === 'failed').slice(0, 1);
  const rest = others.filter(
    ({ check, state }) => state !== 'ok' && state !== 'unknown' && check !== 'local API server',
  );
  return [...first, ...rest].flatMap((check) =>
    check === undefined
      ? []
      : [
          {
            rank: steered !== null || check.check === 'other nodes' ? 'redundancy' : 'out-of-group',
            text: printable(`${kind} VIP: ${check.check}: ${check.found}`),
          } as const,
        ],
  );
}
