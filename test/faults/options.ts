import { parseArgs } from 'node:util';
import { type FaultName, faultNames } from './generate/catalogue.ts';
import { type KnownSeed, knownSeeds } from './known-seeds.ts';

export interface FaultsOptions {
  readonly help: boolean;
  readonly minutes: number;
  readonly seed: number;
  /** Run only this episode. */
  readonly episode: number | undefined;
  readonly names: readonly FaultName[];
  /** Run only the episodes of these, each in a run of its own. */
  readonly known: readonly KnownSeed[] | undefined;
  /** Judge the history in this folder and inject nothing. */
  readonly judge: string | undefined;
  readonly json: string | undefined;
  readonly keep: boolean;
  /** Print the plan and run nothing. */
  readonly plan: boolean;
}

export const usage = `usage: npm run test:faults -- [--minutes M] [--seed S] [--episode N] [--only FAULT]... [--json FILE] [--keep] [--plan]
       npm run test:faults -- --known [--seed S]
       npm run test:faults -- --judge FOLDER
  --minutes  begin no episode after this time (default 3, at most 600)
  --seed     what happens (default: the time)
  --episode  this episode of the seed alone
  --only     this fault and no other; may be given several times: ${faultNames.join(', ')}
  --known    the episodes that found something in the past, as they were planned then: of all seeds, or of one
  --judge    run the validators again on a history that was kept
  --json     also write the verdicts to this file
  --keep     keep the history's folder even without a violation
  --plan     print the first twenty episodes and end
Exit codes: 0 no violation, 1 a violation, or no episode was run, 2 it could not be run.`;

export function readOptions(argv: readonly string[], now: number): FaultsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string' },
      episode: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      known: { type: 'boolean', default: false },
      judge: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
    },
  });
  if (values.known && values.json !== undefined)
    throw new Error('Cannot write all known seeds to one file: expected --known without --json');
  const { seed: given = String(now % 1_000_000) } = values;
  const seed = numberIn('seed', given, 0, 2 ** 32 - 1);
  return {
    help: values.help,
    minutes: numberIn('minutes', values.minutes, 0, 600),
    seed,
    episode: values.episode === undefined ? undefined : numberIn('episode', values.episode, 1, 1_000_000),
    names: namesOf(values.only),
    known: values.known ? knownOf(values.seed === undefined ? undefined : seed) : undefined,
    judge: values.judge,
    json: values.json,
    keep: values.keep,
    plan: values.plan,
  };
}

function numberIn(what: string, text: string, from: number, to: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= from && value <= to && (what === 'minutes' || Number.isInteger(value)))
    return value;
  throw new Error(`Cannot read ${what} "${text}": expected a number from ${from} to ${to}`);
}

function knownOf(seed: number | undefined): readonly KnownSeed[] {
  const found = knownSeeds.filter((each) => seed === undefined || each.seed === seed);
  if (found.length > 0) return found;
  const all = [...new Set(knownSeeds.map((each) => each.seed))];
  throw new Error(`Cannot repeat seed "${seed}": it has found nothing, expected one of ${all.join(', ')}`);
}

function namesOf(only: readonly string[]): readonly FaultName[] {
  const unknown = only.find((name) => !faultNames.some((each) => each === name));
  if (unknown !== undefined)
    throw new Error(`Cannot inject fault "${unknown}": expected one of ${faultNames.join(', ')}`);
  return faultNames.filter((name) => only.length === 0 || only.includes(name));
}
