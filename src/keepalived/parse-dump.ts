import type { VrrpState } from './vip-presence.ts';
import type { KeepalivedWords, SelfReport } from './vrrp-program.ts';

const STATES: Readonly<Record<string, VrrpState>> = {
  MASTER: 'MASTER',
  BACKUP: 'BACKUP',
  FAULT: 'FAULT',
  'FAULT (init)': 'FAULT',
  INIT: 'UNKNOWN',
};

interface Dump {
  /** Of the configuration that was read last, as `markConfiguration` wrote it. */
  readonly number: number | undefined;
  readonly instances: SelfReport;
}

/** The text that keepalived 2.2 writes to `keepalived.data` at SIGUSR1. A part that is missing is left out. */
export function parseDump(text: string): Dump {
  const number = /^ Smtp HELO name = hawser-(\d+)\n/im.exec(text)?.[1];
  const [, ...sections] = text.split(/^ VRRP Instance = /m);
  return {
    number: number === undefined ? undefined : Number(number),
    instances: sections.flatMap((section) => instanceOf(section)),
  };
}

function instanceOf(section: string): SelfReport {
  const name = section.slice(0, section.indexOf('\n')).trim();
  const state = /^ {3}State = (.+)\n/m.exec(section)?.[1];
  const priority = /^ {3}Effective priority = (\d+)\n/m.exec(section)?.[1];
  if (state === undefined || priority === undefined) return [];
  return [{ name, state: STATES[state.trim()] ?? 'UNKNOWN', priority: Number(priority) }];
}

/**
 * What a line of keepalived's log (2.2, with `--log-detail`) says about its timers or about why an instance changes its
 * state; undefined for any other line, and for what a newer one may say differently.
 */
export function parseWords(line: string): KeepalivedWords | undefined {
  const text = line.replace(/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}: /, '').trimEnd();
  for (const { pattern, meaning } of PATTERNS) {
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined) return meaning(groups);
  }
  return undefined;
}

interface Pattern {
  readonly pattern: RegExp;
  readonly meaning: (groups: Readonly<Record<string, string>>) => KeepalivedWords;
}

const PATTERNS: readonly Pattern[] = [
  {
    pattern: /^A thread timer expired (?<seconds>\d+\.\d+) seconds ago/,
    meaning: ({ seconds }) => ({ kind: 'late', lateMs: Math.round(Number(seconds) * 1_000) }),
  },
  {
    pattern:
      /^\((?<instance>[^)]+)\) Master received advert from (?<by>\S+) with (?:higher priority (?<theirs>\d+), ours (?<ours>\d+)|same priority (?<both>\d+) but higher IP address than ours)$/,
    meaning: ({ instance = '', by = '', both, theirs = both, ours = both }) => ({
      kind: 'outranked',
      instance,
      by,
      theirs: Number(theirs),
      ours: Number(ours),
    }),
  },
  {
    pattern: /^Netlink reflector reports IP (?<address>\S+) removed from (?<interface>\S+)$/,
    meaning: ({ address = '', interface: from = '' }) => ({
      kind: 'address-removed',
      address,
      interface: from,
    }),
  },
  {
    pattern: /^Netlink reports (?<interface>\S+) down$/,
    meaning: ({ interface: down = '' }) => ({ kind: 'interface-down', interface: down }),
  },
  {
    pattern:
      /^\((?<instance>[^)]+)\): (?:entering FAULT state \(tracked file \S+ has status -\d+\)|tracked file \S+ now FAULT state)$/,
    meaning: ({ instance = '' }) => ({ kind: 'track-file-fault', instance }),
  },
];
