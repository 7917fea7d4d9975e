import { ageText, countText, limitText } from '../../../engine/system/text/readable-text.ts';
import type { ClusterStatus, NodeStatus } from '../../status/node-status.ts';
import { type StatusLabel, statusLabel } from './status-label.ts';

export interface HaproxyView {
  readonly summary: StatusLabel;
  readonly generations: readonly GenerationView[];
  readonly redirect: StatusLabel & { readonly detail: string | null };
  /** What happened last, and what went wrong. */
  readonly facts: readonly { readonly name: string; readonly text: string; readonly detail: string | null }[];
}

export interface GenerationView {
  readonly number: number;
  readonly state: StatusLabel;
  readonly forLong: string;
  /** Null where it did not say. */
  readonly sessions: number | null;
  /** Which configuration it runs on, or when and why it ends. */
  readonly note: string;
}

type Supervisor = NonNullable<NodeStatus['haproxySupervisor']>;
type Monitor = NonNullable<NodeStatus['haproxyMonitor']>;

export function haproxyView({ here: { haproxySupervisor, haproxyMonitor } }: ClusterStatus): HaproxyView {
  return {
    summary: summaryOf(haproxySupervisor),
    generations: haproxySupervisor === null ? [] : generationsOf(haproxySupervisor),
    redirect: redirectOf(haproxyMonitor),
    facts: [...failuresOf(haproxySupervisor), ...changesOf(haproxyMonitor)],
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

function generationsOf({ current, draining }: Supervisor): readonly GenerationView[] {
  return [
    ...(current === null
      ? []
      : [generationView(current, statusLabel('good', 'serving'), configurationOf(current))]),
    ...draining.map((each) => {
      const ends = `ends within ${limitText(each.terminateInMs)}: ${each.reason}`;
      return generationView(each, statusLabel('busy', 'draining'), ends);
    }),
  ];
}

function configurationOf({ config, configSha256 }: NonNullable<Supervisor['current']>): string {
  const name = config === 'live' ? 'configuration' : 'LAST GOOD configuration';
  return `${name} ${shortHash(configSha256)}`;
}

function generationView(
  { generation, ageMs, sessions }: Omit<Supervisor['draining'][number], 'terminateInMs' | 'sent' | 'reason'>,
  state: StatusLabel,
  note: string,
): GenerationView {
  return {
    ...{ number: generation, state, note, sessions, forLong: ageText(ageMs) },
  };
}

/** As much of a hash as people compare. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 8);
}

const REDIRECTS: Readonly<Record<Monitor['redirect'], StatusLabel>> = {
  present: statusLabel('good', 'present: the VIP leads to HAProxy'),
  absent: statusLabel('warn', 'absent: the VIP leads to the local API server'),
  failed: statusLabel('bad', 'failed'),
  off: statusLabel('idle', 'off: there is no VIP to redirect'),
};

function redirectOf(monitor: Monitor | null): HaproxyView['redirect'] {
  if (monitor === null)
    return { ...statusLabel('unknown', 'not known: haproxy-monitor does not answer'), detail: null };
  return { ...REDIRECTS[monitor.redirect], detail: monitor.redirectProblem };
}

function failuresOf(supervisor: Supervisor | null): HaproxyView['facts'] {
  if (supervisor === null) return [];
  const { restart, lastFailure } = supervisor;
  return [
    ...(restart === null
      ? []
      : [
          {
            name: 'Restart',
            text: `in ${ageText(restart.inMs)}, after ${countText(restart.failures, 'failure')} in a row`,
            detail: null,
          },
        ]),
    ...(lastFailure === null
      ? []
      : [
          {
            name: 'Last failure',
            text: `${ageText(lastFailure.agoMs)} ago at “${lastFailure.stage}”: ${lastFailure.message}`,
            detail: lastFailure.detail ?? null,
          },
        ]),
  ];
}

function changesOf(monitor: Monitor | null): HaproxyView['facts'] {
  if (monitor?.lastChange == null) return [];
  const { cause, result, agoMs } = monitor.lastChange;
  return [{ name: 'Last change', text: `${ageText(agoMs)} ago: ${cause}, ${result}`, detail: null }];
}
