import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.ts';
import { type Subject, subjects } from './subject.ts';

export interface BenchOptions {
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

/** Throws, with the names that exist, for one that does not. */
export function readOptions(argv: readonly string[], all: readonly Scenario[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      subject: { type: 'string', multiple: true, default: [] },
      logs: { type: 'string' },
    },
  });
  const scenarioNames = chosen(
    'scenario',
    values.only,
    all.map(({ name }) => name),
  );
  const subjectNames = chosen('subject', values.subject, subjects);
  return {
    json: values.json,
    quick: values.quick,
    scenarios: all.filter(({ name }) => scenarioNames.includes(name)),
    subjects: subjects.filter((name) => subjectNames.includes(name)),
    logDir: values.logs,
  };
}

function chosen(what: string, asked: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot measure ${what} "${unknown}": there is none, expected ${known.join(', ')}`);
  return asked.length === 0 ? known : asked;
}
