import { changeFacts, failureFacts } from '../../engine/examine/facts.ts';
import {
  type Fact,
  type Row,
  type Section,
  type StatusLabel,
  shortHash,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import { ageText, limitText } from '../../engine/system/text/readable-text.ts';
import type { SupervisorStatus as Supervisor } from '../../haproxy/supervise/supervisor-status.ts';
import type { HaproxyMonitorStatus as Monitor } from '../haproxy-monitor-status.ts';
import { type ApiLbNode, hasMonitor } from './api-lb-node.ts';
import { sessionsCell } from './servers.ts';

/** Generations, the redirect, and what changed or failed last. */
export function haproxySection(here: ApiLbNode): Section {
  const { node, haproxySupervisor, haproxyMonitor } = here;
  const generations = haproxySupervisor === null ? [] : generationRows(haproxySupervisor);
  return {
    ...{ id: 'haproxy', title: `HAProxy on ${node}`, place: 'right' },
    parts: [
      {
        summary: summaryOf(haproxySupervisor),
        tables: [
          {
            ...{ label: 'Generations of HAProxy' },
            columns: {
              Generation: 'name',
              State: 'how',
              For: 'age',
              'Runs on, or ends': 'check',
              Sessions: 'number',
            },
            ...{ lead: 'state', rows: generations },
          },
        ],
        facts: [
          ...(hasMonitor(here) ? [redirectFact(haproxyMonitor)] : []),
          ...failureFacts(haproxySupervisor),
          ...changeFacts(haproxyMonitor?.lastChange),
        ],
      },
    ],
  };
}

const PHASES: Readonly<Record<Supervisor['phase'], StatusLabel>> = {
  'waiting-for-configuration': statusLabel('warn', 'waits for a configuration'),
  starting: statusLabel('busy', 'starting'),
  serving: statusLabel('good', 'serving'),
  stopping: statusLabel('warn', 'stopping'),
  stopped: statusLabel('bad', 'stopped'),
};

function summaryOf(supervisor: Supervisor | null): StatusLabel {
  if (supervisor === null) return statusLabel('unknown', 'its supervisor does not answer');
  return supervisor.current?.config === 'last-good'
    ? statusLabel('warn', 'serving the last good configuration')
    : PHASES[supervisor.phase];
}

function generationRows({ current, draining }: Supervisor): readonly Row[] {
  return [
    ...(current === null
      ? []
      : [generationRow(current, statusLabel('good', 'serving'), configurationText(current))]),
    ...draining.map((each) => {
      const { terminateInMs, sent, reason } = each;
      const ends = `ends within ${limitText(terminateInMs)} (now: ${sent}): ${reason}`;
      return generationRow(each, statusLabel('busy', 'draining'), ends);
    }),
  ];
}

function configurationText({ config, configSha256 }: NonNullable<Supervisor['current']>): string {
  const name = config === 'live' ? 'configuration' : 'LAST GOOD configuration';
  return `${name} ${shortHash(configSha256)}`;
}

function generationRow(
  { generation, ageMs, sessions }: Pick<Supervisor['draining'][number], 'generation' | 'ageMs' | 'sessions'>,
  state: StatusLabel,
  note: string,
): Row {
  return {
    name: [styled('unit', 'generation '), `${generation}`],
    cells: [[state], [styled('unit', 'for '), ageText(ageMs)], [note], sessionsCell(sessions)],
  };
}

const REDIRECTS: Readonly<Record<Monitor['redirect'], StatusLabel>> = {
  present: statusLabel('good', 'present: the VIP leads to HAProxy'),
  absent: statusLabel('warn', 'absent: the VIP leads to the local API server'),
  failed: statusLabel('bad', 'failed'),
  off: statusLabel('idle', 'off: there is no VIP to redirect'),
};

function redirectFact(monitor: Monitor | null): Fact {
  const name = 'Redirect';
  if (monitor === null)
    return { name, state: statusLabel('unknown', 'not known: haproxy-monitor does not answer') };
  const { redirect, redirectProblem, usable } = monitor;
  const isUnproven = redirect === 'absent' && usable !== true;
  const text = redirectProblem ?? (isUnproven ? 'HAProxy has not shown a usable server' : undefined);
  return { name, state: REDIRECTS[redirect], ...(text !== undefined && { text }) };
}
