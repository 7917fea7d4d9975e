import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';
import { type Subject, subjects } from './subject.ts';

export interface FailoverOptions {
  readonly json: string | undefined;
  readonly quick: boolean;
  readonly faults: readonly Fault[];
  readonly subjects: readonly Subject[];
  readonly logDir: string | undefined;
  trials(subject: Subject): number;
}

export const usage = `usage: npm run bench:failover [-- --json FILE] [--quick] [--only FAULT]... [--subject SUBJECT]...
                              [--trials N] [--logs DIR]
  --json     also write the figures to this file
  --quick    one trial each, to try the bench itself
  --only     this fault and no other; may be given several times
  --subject  hawser, openshift or kubeadm; may be given several times
  --trials   of each fault and subject (default: 10 of hawser's, 3 of today's, which take a minute each)
  --logs     keep what the programs of each scene said`;

/** Throws, with the names that exist, for one that does not. */
export function readOptions(argv: readonly string[], all: readonly Fault[]): FailoverOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      subject: { type: 'string', multiple: true, default: [] },
      trials: { type: 'string' },
      logs: { type: 'string' },
    },
  });
  const faultNames = chosen(
    'fault',
    values.only,
    all.map(({ name }) => name),
  );
  const subjectNames = chosen('subject', values.subject, subjects);
  const wanted = values.trials === undefined ? undefined : trialCount(values.trials);
  return {
    json: values.json,
    quick: values.quick,
    faults: all.filter(({ name }) => faultNames.includes(name)),
    subjects: subjects.filter((name) => subjectNames.includes(name)),
    logDir: values.logs,
    trials: (subject) => wanted ?? (values.quick ? 1 : subject === 'hawser' ? 10 : 3),
  };
}

function chosen(what: string, asked: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot measure ${what} "${unknown}": there is none, expected ${known.join(', ')}`);
  return asked.length === 0 ? known : asked;
}

function trialCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new Error(`Cannot make "${text}" trials: it is no number of them, expected 1 to 1000`);
}
