import type { VrrpState } from './vip-presence.ts';
import type { SelfReport } from './vrrp-program.ts';

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
