import type { ClusterStatus, NodeStatus } from '../node-status.ts';
import { shortHash } from './haproxy-section.ts';
import type { Row, Section, Tone } from './row.ts';

type Peer = ClusterStatus['peers'][number];

const HEALTH: Readonly<Record<Peer['observed']['health'], { readonly text: string; readonly tone: Tone }>> = {
  ready: { text: 'its HAProxy is ready', tone: 'good' },
  'not-ready': { text: 'its HAProxy is NOT READY', tone: 'bad' },
  'no-answer': { text: 'its HAProxy does NOT ANSWER', tone: 'bad' },
  'not-asked': { text: 'not asked', tone: 'plain' },
};

export function nodesSection({ here, peers }: ClusterStatus): Section {
  const problems = new Set(peers.map(({ problem }) => problem));
  // What is not set up is so for all of them, and said once.
  const common = problems.size === 1 && peers.length > 1 ? (peers[0]?.problem ?? null) : null;
  return {
    title: 'Other nodes, as seen from here',
    rows: [
      ...peers.map((peer) => peerRow(peer, here, common)),
      ...(common === null ? [] : [{ word: 'not known', text: `what they say of themselves: ${common}` }]),
    ],
  };
}

function peerRow(
  { name, address, observed, published, problem }: Peer,
  here: NodeStatus,
  toldOnce: string | null,
): Row {
  const { text, tone } = HEALTH[observed.health];
  const holds = observed.holds.length === 0 ? [] : [`holds ${observed.holds.join(', ')}`];
  const adverts = published === null && observed.adverts === 'arrive' ? ['its adverts arrive'] : [];
  const silence = problem === null || problem === toldOnce ? [] : [`publishes nothing: ${problem}`];
  const said = published === null ? silence : [publishedText(published, here)];
  return { word: name, tone, text: [address, text, ...holds, ...adverts, ...said].join('; ') };
}

function publishedText(published: NodeStatus, here: NodeStatus): string {
  const silent = published.programs.filter(({ state }) => state === 'silent').map(({ name }) => name);
  const theirs = published.haproxySupervisor?.current?.configSha256;
  const ours = here.haproxySupervisor?.current?.configSha256;
  const comparison = theirs === ours ? 'as here' : 'another one than here';
  return [
    theirs === undefined ? 'HAProxy serves nothing' : `haproxy.cfg ${shortHash(theirs)} (${comparison})`,
    ...(silent.length === 0 ? [] : [`SILENT there: ${silent.join(', ')}`]),
  ].join('; ');
}

/** The programs that were asked, and their answers. */
export function programsSection({ programs }: NodeStatus): Section {
  const tones = { answers: 'good', silent: 'bad', 'not-asked': 'plain' } as const;
  return {
    title: 'Programs of this node',
    rows: programs.map(({ name, state, address, problem }) => ({
      word: state,
      tone: tones[state],
      text:
        [name, ...(address === null ? [] : [`at ${address}`])].join(' ') +
        (problem === null ? '' : `: ${problem}`),
    })),
  };
}
