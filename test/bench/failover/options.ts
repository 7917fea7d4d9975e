import { parseArgs } from 'node:util';
import { chosen, commonOptions } from '../options.ts';
import type { Fault } from './fault.ts';
import { type Subject, subjects } from './subject.ts';

export interface FailoverOptions {
  readonly help: boolean;
  readonly json: string | undefined;
  readonly quick: boolean;
  readonly faults: readonly Fault[];
  readonly subjects: readonly Subject[];
  readonly logDir: string | undefined;
  readonly templates: string | undefined;
  trials(subject: Subject): number;
}

export const usage = `usage: npm run bench:failover [-- --json FILE] [--quick] [--only FAULT]... [--subject SUBJECT]...
                              [--trials N] [--logs DIR] [--templates DIR]
  --json     also write the figures to this file
  --quick    one trial each, to try the bench itself
  --only     this fault and no other; may be given several times
  --subject  hawser, openshift or kubeadm; may be given several times
  --trials   of each fault and subject (default: 5 of hawser's, 1 of today's, which takes a minute)
  --logs     keep what the programs of each scene said
  --templates  hawser's templates, to compare another configuration
Exit codes: 0 every target met, 1 a target missed, 2 it could not be measured.`;

/** Throws for an unknown name, listing the known ones. */
export function readOptions(argv: readonly string[], all: readonly Fault[]): FailoverOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: { ...commonOptions, trials: { type: 'string' }, templates: { type: 'string' } },
  });
  const faultNames = chosen(
    'fault',
    values.only,
    all.map(({ name }) => name),
  );
  const subjectNames = chosen('subject', values.subject, subjects);
  const wanted = values.trials === undefined ? undefined : trialCount(values.trials);
  return {
    help: values.help,
    json: values.json,
    quick: values.quick,
    faults: all.filter(({ name }) => faultNames.includes(name)),
    subjects: subjects.filter((name) => subjectNames.includes(name)),
    logDir: values.logs,
    templates: values.templates,
    trials: (subject) => wanted ?? (values.quick ? 1 : subject === 'hawser' ? 5 : 1),
  };
}

function trialCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new Error(`Cannot make "${text}" trials: expected a number from 1 to 1000`);
}
