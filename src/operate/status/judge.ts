import { type Problem, problem, problemsAmong, worstFirst } from '../../engine/examine/problem.ts';
import type { SeenCluster, SeenPeer } from '../../engine/examine/seen.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import { productsAt } from './place.ts';
import type { ProductStatus } from './product-status.ts';

/** All problems, worst first. The verdict is unknown if no program answered. */
export function judge(
  status: SeenCluster<NodeStatus>,
  products: readonly ProductStatus[],
): Pick<ClusterStatus, 'verdict' | 'problems'> {
  const { here, peers } = status;
  if (!isHawserHere(here, products)) {
    const [first] = here.programs.filter(({ state }) => state === 'silent');
    const detail = first === undefined ? '' : ` (${first.name} at ${first.address}: ${first.problem})`;
    const silence = `no program of hawser answers on ${here.node}${detail}`;
    return { verdict: 'unknown', problems: [silence] };
  }
  const problems = worstFirst([
    ...productsAt(here, products).flatMap(({ clusterProblems }) => clusterProblems?.(status) ?? []),
    ...nodeProblems(here, products),
    ...problemsAmong(peers.map(peerProblem)),
  ]);
  return {
    verdict: problems.length === 0 ? 'healthy' : 'degraded',
    problems: problems.map(({ text }) => text),
  };
}

/** What is wrong on one node, by what it says itself. */
function nodeProblems(node: NodeStatus, products: readonly ProductStatus[]): readonly Problem[] {
  const silent = node.programs.filter(({ state }) => state === 'silent');
  return [
    ...productsAt(node, products).flatMap(({ problems }) => problems(node)),
    ...silent.map(({ name, address, problem: why }) =>
      problem('program', `${name} does not answer at ${address}: ${why}`),
    ),
  ];
}

function isHawserHere(here: NodeStatus, products: readonly ProductStatus[]): boolean {
  const isThere = products.some(({ others }) => others?.isThere(here));
  return isThere || here.programs.some(({ state }) => state === 'answers');
}

function peerProblem({ name, address, health }: SeenPeer): Problem | false {
  const found = health === 'not-ready' ? 'is not ready' : 'does not answer';
  return health !== 'ready' && problem('redundancy', `${name}: its HAProxy (${address}) ${found} from here`);
}
