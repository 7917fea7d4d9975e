import { parseArgs } from 'node:util';
import { chosen, commonOptions } from '../options.ts';
import type { Scenario } from './scenario.ts';
import { type Subject, subjects } from './subject.ts';

export interface BenchOptions {
  readonly help: boolean;
  readonly json: string | undefined;
  readonly quick: boolean;
  readonly scenarios: readonly Scenario[];
  readonly subjects: readonly Subject[];
  readonly logDir: string | undefined;
}

export const usage = `usage: npm run bench:reload -- [--json FILE] [--quick] [--only SCENARIO]... [--subject hawser|shell]
                                 [--logs DIR]
  --json     also write the figures to this file
  --quick    small sizes, to try the bench itself
  --only     this scenario and no other; may be given several times
  --subject  measure only this one
  --logs     keep what the subjects and their HAProxys said, one file a host`;

/** Throws for an unknown name, listing the known ones. */
export function readOptions(argv: readonly string[], all: readonly Scenario[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: commonOptions,
  });
  const scenarioNames = chosen(
    'scenario',
    values.only,
    all.map(({ name }) => name),
  );
  const subjectNames = chosen('subject', values.subject, subjects);
  return {
    help: values.help,
    json: values.json,
    quick: values.quick,
    scenarios: all.filter(({ name }) => scenarioNames.includes(name)),
    subjects: subjects.filter((name) => subjectNames.includes(name)),
    logDir: values.logs,
  };
}
