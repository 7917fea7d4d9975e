import { ageText, countText, durationText } from '../../../engine/system/text/readable-text.ts';
import type { NodeStatus } from '../node-status.ts';
import type { Row, Section, Tone } from './row.ts';

type Supervisor = NonNullable<NodeStatus['haproxySupervisor']>;
type Change = NonNullable<NodeStatus['haproxyMonitor']>['lastChange'];
type Server = NonNullable<NodeStatus['servers']>[number];

const TONES: Readonly<Record<Server['state'], Tone>> = {
  up: 'good',
  down: 'bad',
  draining: 'odd',
  maintenance: 'odd',
  unchecked: 'odd',
};

/** The servers with HAProxy's words for each. */
export function serversSection({ servers }: NodeStatus): Section {
  return {
    title: 'API servers, as HAProxy of this node sees them',
    rows: (servers ?? []).map(({ name, address, state, sinceMs, sessions, check }) => ({
      word: state,
      tone: TONES[state],
      text: `${name} ${address} for ${ageText(sinceMs)}, ${sessionsText(sessions)}; ${check}`,
    })),
  };
}

/** Generations, the redirect, and what changed last. */
export function haproxySection({ haproxySupervisor, haproxyMonitor }: NodeStatus): Section {
  return {
    title: 'HAProxy',
    rows: [
      ...(haproxySupervisor === null ? [] : generationRows(haproxySupervisor)),
      ...(haproxyMonitor === null
        ? []
        : [redirectRow(haproxyMonitor), ...changeRows(haproxyMonitor.lastChange)]),
    ],
  };
}

function generationRows({ phase, current, draining }: Supervisor): readonly Row[] {
  const serving: Row =
    current === null
      ? { word: 'serving', tone: 'bad', text: `nothing: ${phase}` }
      : {
          word: 'serving',
          tone: current.config === 'live' ? 'good' : 'odd',
          text: `generation ${current.generation} for ${ageText(current.ageMs)}, ${sessionsText(current.sessions)}, ${current.config === 'live' ? '' : 'the LAST GOOD '}configuration ${shortHash(current.configSha256)}`,
        };
  return [
    serving,
    ...draining.map(({ generation, sessions, terminateInMs, sent, reason }) => ({
      word: 'draining',
      text: `generation ${generation}, ${sessionsText(sessions)} left, ended within ${durationText(terminateInMs)} (now: ${sent}): ${reason}`,
    })),
  ];
}

function sessionsText(sessions: number | null): string {
  return sessions === null ? 'unknown sessions' : countText(sessions, 'session');
}

function redirectRow({ redirect, redirectProblem, usable }: NonNullable<NodeStatus['haproxyMonitor']>): Row {
  const word = 'redirect';
  switch (redirect) {
    case 'present':
      return { word, tone: 'good', text: 'present: the VIP leads to HAProxy' };
    case 'off':
      return { word, text: 'off: there is no VIP to redirect' };
    case 'failed':
      return { word, tone: 'bad', text: redirectProblem ?? 'failed' };
    case 'absent':
      return {
        word,
        tone: 'odd',
        text: `absent: the VIP leads to this node's own API server${usable === true ? '' : '; HAProxy has not shown a usable server'}`,
      };
  }
}

export function changeRows(change: Change): readonly Row[] {
  if (change === null) return [];
  const { cause, result, message, agoMs } = change;
  const isDone = result === 'reloaded' || result === 'unchanged';
  const words = message === undefined ? '' : `: ${message}`;
  return [
    {
      word: 'last change',
      tone: isDone ? 'plain' : 'bad',
      text: `${ageText(agoMs)} ago, ${cause}: ${result}${words}`,
    },
  ];
}

/** Long enough to distinguish two configurations. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 12);
}
