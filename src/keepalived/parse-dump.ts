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
  /** The number of the configuration that keepalived read last, from `markConfiguration`; undefined without one. */
  readonly number: number | undefined;
  readonly instances: SelfReport;
}

/** Parses the dump that keepalived 2.2 writes to `keepalived.data` at SIGUSR1. An incomplete instance is omitted. */
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
 * Parses a line of keepalived's log (2.2, with `--log-detail`) about a late timer or the reason for a change of state. Undefined for any
 * other line, including different texts of a newer version.
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
