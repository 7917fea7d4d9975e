import { ageText } from '../../engine/system/text/readable-text.ts';
import { haproxyProblems } from './haproxy-problems.ts';
import { keepalivedProblems } from './keepalived-problems.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import { priorityFor } from './priority-text.ts';
import { type Problem, worstFirst } from './problem.ts';

export type Unjudged = Omit<ClusterStatus, 'verdict' | 'problems'>;

/** All problems, worst first. The verdict is unknown if no program answered. */
export function judge(status: Unjudged): Pick<ClusterStatus, 'verdict' | 'problems'> {
  const { here, peers } = status;
  if (!isHawserHere(here) && peers.every(({ published }) => published === null)) {
    const [first] = here.programs.filter(({ state }) => state === 'silent');
    const detail = first === undefined ? '' : ` (${first.name} at ${first.address}: ${first.problem})`;
    return { verdict: 'unknown', problems: [`no program of hawser answers on ${here.node}${detail}`] };
  }
  const problems = worstFirst([...vipProblems(status), ...nodeProblems(here), ...peerProblems(status)]);
  return {
    verdict: problems.length === 0 ? 'healthy' : 'degraded',
    problems: problems.map(({ text }) => text),
  };
}

/** What is wrong on one node, by what it says itself. */
export function nodeProblems(node: NodeStatus): readonly Problem[] {
  return [...haproxyProblems(node), ...keepalivedProblems(node), ...programProblems(node)];
}

function isHawserHere({ programs, servers }: NodeStatus): boolean {
  return servers !== null || programs.some(({ state }) => state === 'answers');
}

function programProblems({ programs }: NodeStatus): readonly Problem[] {
  return programs
    .filter(({ state }) => state === 'silent')
    .map(({ name, address, problem }) => ({
      rank: 'program',
      text: `${name} does not answer at ${address}: ${problem}`,
    }));
}

function vipProblems({ vips, here }: Unjudged): readonly Problem[] {
  return vips.flatMap(({ vip, kind, holders }): readonly Problem[] => {
    if (isLost(vip, here, holders))
      return [
        {
          rank: 'out-of-group',
          text: `${vip} is not on this node, though its keepalived was MASTER when its supervisor last said something: keepalived may be dead`,
        },
        ...heldProblem({ vip, kind, holders }, here),
      ];
    return heldProblem({ vip, kind, holders }, here);
  });
}

/** The monitor goes by what the supervisor wrote down, and that is silent. */
function isLost(vip: string, here: NodeStatus, holders: readonly string[]): boolean {
  const isMaster = priorityFor(here, vip)?.holder === true;
  return isMaster && here.keepalivedSupervisor === null && !holders.includes(here.node);
}

function heldProblem(
  { vip, kind, holders }: Pick<Unjudged['vips'][number], 'vip' | 'kind' | 'holders'>,
  here: NodeStatus,
): readonly Problem[] {
  if (holders.length === 1) return [];
  const found = holders.length === 0 ? `${here.node} sees no holder` : `${holders.join(' and ')} hold it`;
  return [{ rank: 'outage', text: `${kind} VIP ${vip}: ${found}` }];
}

/** Of an answer: a peer writes its time while it is asked, and the whole takes a part of a second. */
const CLOCK_SLACK_MS = 1_500;

function clockProblem(name: string, published: NodeStatus | null, here: NodeStatus): readonly Problem[] {
  if (published === null) return [];
  const aheadMs = Date.parse(published.at) - Date.parse(here.at);
  if (Math.abs(aheadMs) <= CLOCK_SLACK_MS) return [];
  const size = ageText(Math.abs(aheadMs));
  const text = `${name}: its clock is ${size} ${aheadMs > 0 ? 'ahead of' : 'behind'} this node's: causes in the timeline may be wrong`;
  return [{ rank: 'blind', text }];
}

/** A server that is down for this node is reported once, even if peers report it too. */
function peerProblems({ here, peers }: Unjudged): readonly Problem[] {
  const known = new Set(nodeProblems(here).map(({ subject }) => subject));
  return peers.flatMap(({ name, address, published, observed }): readonly Problem[] => {
    const own = published === null ? [] : nodeProblems(published);
    const news = own.filter(({ subject }) => subject === undefined || !known.has(subject));
    for (const { subject } of news) known.add(subject);
    const unready = observed.health === 'not-ready' || observed.health === 'no-answer';
    const health = observed.health === 'not-ready' ? 'is not ready' : 'does not answer';
    return [
      ...(unready
        ? [{ rank: 'redundancy', text: `${name}: its HAProxy (${address}) ${health} from here` } as const]
        : []),
      ...clockProblem(name, published, here),
      ...news.map((problem): Problem => ({ ...problem, text: `${name}: ${problem.text}` })),
    ];
  });
}
