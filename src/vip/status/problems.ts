import {
  changeProblem,
  failureProblem,
  type Problem,
  problem,
  problemsAmong,
  troubleProblem,
} from '../../engine/examine/problem.ts';
import { LOCAL_API_CHECK, PEERS_CHECK } from '../settings/keepalived-monitor-status.ts';
import { priorityFor, type Vip, type VipCluster, type VipNode, type VipPriority } from './vip-holders.ts';

/** The problems of a node's keepalived, its health and its group. */
export function keepalivedProblems(node: VipNode): readonly Problem[] {
  return problemsAmong([...running(node), ...monitored(node)]);
}

function running({ keepalivedSupervisor, keepalivedMonitor }: VipNode) {
  if (keepalivedSupervisor === null) return [];
  const { current, phase, wanted, lastFailure, instances, trackFiles, trouble } = keepalivedSupervisor;
  const stopped = wanted === 'down' ? 'stopped on request' : phase;
  const isExplained = keepalivedMonitor !== null;
  return [
    current === null && problem('out-of-group', `keepalived does not run: ${stopped}`),
    ...instances.flatMap(({ name, state, vips }) => [
      state === 'FAULT' &&
        !isExplained &&
        problem('out-of-group', `${name} is in FAULT: this node does not compete for the VIP`),
      ...vips
        .filter(({ present }) => present !== (state === 'MASTER'))
        .map(({ address, present }) =>
          problem('outage', `${address} is ${present ? '' : 'not '}on an interface, and ${name} is ${state}`),
        ),
    ]),
    ...trackFiles
      .filter(({ silent }) => silent)
      .map(({ path, value }) =>
        problem('program', `${path} is stale because the monitor is silent: keepalived adds ${value}`),
      ),
    troubleProblem('keepalived-supervisor', trouble),
    failureProblem('keepalived', lastFailure),
  ];
}

function monitored({ keepalivedMonitor }: VipNode) {
  if (keepalivedMonitor === null) return [];
  const { priorities, virtualRouterIdTaken, metricsProblem, lastChange } = keepalivedMonitor;
  return [
    virtualRouterIdTaken !== null && problem('out-of-group', virtualRouterIdTaken),
    ...priorities.flatMap(priorityProblems),
    changeProblem('keepalived.conf', lastChange),
    metricsProblem !== undefined &&
      problem('blind', `metrics of the pod keepalived are not served: ${metricsProblem}`),
  ];
}

/**
 * The problems that the checks report. An order is not a problem, and on a drained node a failure only reduces redundancy. The local API
 * server is not included, because it is among HAProxy's servers.
 */
function priorityProblems({ kind, checks, order }: VipPriority): readonly Problem[] {
  const [server, question, ...others] = checks;
  const first = [server, question].flatMap((check) => (check?.state === 'failed' ? [check] : [])).slice(0, 1);
  const rest = others.filter(
    ({ check, state }) => state !== 'ok' && state !== 'unknown' && check !== LOCAL_API_CHECK,
  );
  return [...first, ...rest].map(({ check, message }) =>
    problem(
      order !== null || check === PEERS_CHECK ? 'redundancy' : 'out-of-group',
      `${kind} VIP: ${check}: ${message}`,
    ),
  );
}

/** The problems with the holders of the VIPs. */
export function vipProblems({ vips, here }: VipCluster): readonly Problem[] {
  return problemsAmong(vips.flatMap((vip) => [lostProblem(vip, here), heldProblem(vip, here)]));
}

/** The monitor still reports this node as the holder, from the state file of a supervisor that does not answer. */
function lostProblem({ vip, holders }: Vip, here: VipNode): Problem | false {
  const isMaster = priorityFor(here, vip)?.holder === true;
  const isLost = isMaster && here.keepalivedSupervisor === null && !holders.includes(here.node);
  const text = `${vip} is not on this node, but its supervisor last reported MASTER: keepalived may be dead`;
  return isLost && problem('out-of-group', text);
}

function heldProblem({ vip, kind, holders }: Vip, here: VipNode): Problem | false {
  const text = holders.length === 0 ? `${here.node} sees no holder` : `${holders.join(' and ')} hold it`;
  return holders.length !== 1 && problem('outage', `${kind} VIP ${vip}: ${text}`);
}
