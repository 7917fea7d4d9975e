import { type Problem, problem, problemsAmong, worstFirst } from '../../engine/examine/problem.ts';
import type { SeenCluster } from '../../engine/examine/seen.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import { allPrograms, instancedAmong, instancesOf } from './instances.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import { productsAt } from './place.ts';
import type { ProductStatus } from './product-status.ts';

/** All problems, worst first. The verdict is unknown if no program answered. */
export function judge(
  status: SeenCluster<NodeStatus>,
  products: readonly ProductStatus[],
): Pick<ClusterStatus, 'verdict' | 'problems'> {
  const { here, peers } = status;
  if (!isHawserHere(here, products) && peers.every(({ published }) => published === null)) {
    const [first] = here.programs.filter(({ state }) => state === 'silent');
    const detail = first === undefined ? '' : ` (${first.name} at ${first.address}: ${first.problem})`;
    const silence = `no program of hawser answers on ${here.node}${detail}`;
    return { verdict: 'unknown', problems: [silence, ...leftOut(here).map(({ text }) => text)] };
  }
  const problems = worstFirst([
    ...productsAt(here, products).flatMap(({ clusterProblems }) => clusterProblems?.(status) ?? []),
    ...nodeProblems(here, products),
    ...peerProblems(status, products),
  ]);
  return {
    verdict: problems.length === 0 ? 'healthy' : 'degraded',
    problems: problems.map(({ text }) => text),
  };
}

/** What is wrong on one node, by what it says itself. */
function nodeProblems(node: NodeStatus, products: readonly ProductStatus[]): readonly Problem[] {
  const silent = node.programs.filter(({ state }) => state === 'silent');
  const named = instancesOf(node).flatMap(({ name, node: instance }) =>
    nodeProblems(instance, instancedAmong(products)).map(
      ({ rank, text, subject }): Problem =>
        problem(rank, `instance ${name}: ${text}`, subject && `${subject} of ${name}`),
    ),
  );
  return [
    ...productsAt(node, products).flatMap(({ problems }) => problems(node)),
    ...silent.map(({ name, address, problem: why }) =>
      problem('program', `${name} does not answer at ${address}: ${why}`),
    ),
    ...named,
    ...leftOut(node),
  ];
}

function leftOut(node: NodeStatus): readonly Problem[] {
  return (node.leftOut ?? []).map((text) => problem('blind', text));
}

function isHawserHere(here: NodeStatus, products: readonly ProductStatus[]): boolean {
  const isThere = products.some(({ others }) => others?.isThere(here));
  return isThere || allPrograms(here).some(({ state }) => state === 'answers');
}

/** Of an answer: a peer writes its time while it is asked, and the whole takes a part of a second. */
const CLOCK_SLACK_MS = 1_500;

function clockProblem(name: string, published: NodeStatus | null, here: NodeStatus): Problem | false {
  const aheadMs = published === null ? 0 : Date.parse(published.at) - Date.parse(here.at);
  const size = ageText(Math.abs(aheadMs));
  const text = `${name}: its clock is ${size} ${aheadMs > 0 ? 'ahead of' : 'behind'} this node's: causes in the timeline may be wrong`;
  return Math.abs(aheadMs) > CLOCK_SLACK_MS && problem('blind', text);
}

/** A server that is down for this node is reported once, even if peers report it too. */
function peerProblems(
  { here, peers }: SeenCluster<NodeStatus>,
  products: readonly ProductStatus[],
): readonly Problem[] {
  const known = new Set(nodeProblems(here, products).map(({ subject }) => subject));
  return peers.flatMap(({ name, address, published, observed }): readonly Problem[] => {
    const own = published === null ? [] : nodeProblems(published, products);
    const news = own.filter(({ subject }) => subject === undefined || !known.has(subject));
    for (const { subject } of news) known.add(subject);
    const unready = observed.health === 'not-ready' || observed.health === 'no-answer';
    const health = observed.health === 'not-ready' ? 'is not ready' : 'does not answer';
    return problemsAmong([
      unready && problem('redundancy', `${name}: its HAProxy (${address}) ${health} from here`),
      clockProblem(name, published, here),
      ...news.map((each): Problem => ({ ...each, text: `${name}: ${each.text}` })),
    ]);
  });
}
