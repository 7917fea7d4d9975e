import { haproxySection, serversSection } from './lines/haproxy-section.ts';
import { checkSections, keepalivedSection } from './lines/keepalived-section.ts';
import { nodesSection, programsSection } from './lines/nodes-section.ts';
import { type Paint, painter, type Section, sectionLines, type Tone } from './lines/row.ts';
import type { ClusterStatus } from './node-status.ts';

const VERDICTS: Readonly<Record<ClusterStatus['verdict'], { readonly text: string; readonly tone: Tone }>> = {
  healthy: { text: 'healthy', tone: 'good' },
  degraded: { text: 'degraded', tone: 'bad' },
  unknown: { text: 'cannot tell', tone: 'odd' },
};

/** A status for a person: the verdict and what is wrong, then everything that was seen, in 80 columns. */
export function statusLines(
  status: ClusterStatus,
  options: { readonly colours: boolean },
): readonly string[] {
  const paint = painter(options.colours);
  const { here } = status;
  const sections: readonly Section[] = [
    {
      title: 'Problems, worst first',
      rows: status.problems.map((text) => ({ word: 'problem', tone: 'bad', text })),
    },
    ...status.vips.map(vipSection),
    ...checkSections(here),
    serversSection(here),
    haproxySection(here),
    keepalivedSection(here),
    nodesSection(status),
    programsSection(here),
  ];
  return [headline(status, paint), ...sections.flatMap((section) => sectionLines(section, paint))];
}

function headline({ verdict, problems, here }: ClusterStatus, paint: Paint): string {
  const { text, tone } = VERDICTS[verdict];
  const count =
    problems.length === 0 ? '' : `, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return `${paint(text, tone)}${count}, seen from ${here.node} at ${here.at.slice(0, 19)}Z`;
}

function vipSection({ vip, kind, holders, why }: ClusterStatus['vips'][number]): Section {
  const isOne = holders.length === 1;
  const who = holders.length === 0 ? 'no holder seen' : holders.join(' and ');
  return {
    title: `VIP ${vip} (${kind})`,
    rows: [
      { word: 'holder', tone: isOne ? 'good' : 'bad', text: who },
      ...why.map((text) => ({ word: 'why', text })),
    ],
  };
}

const EXIT_CODES: Readonly<Record<ClusterStatus['verdict'], number>> = {
  healthy: 0,
  degraded: 1,
  unknown: 2,
};

export function exitCodeOf({ verdict }: Pick<ClusterStatus, 'verdict'>): number {
  return EXIT_CODES[verdict];
}
