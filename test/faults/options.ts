import { parseArgs } from 'node:util';
import { type FaultName, faultNames } from './generate/catalogue.ts';

export interface FaultsOptions {
  readonly help: boolean;
  readonly minutes: number;
  readonly seed: number;
  /** Only this episode. */
  readonly episode: number | undefined;
  readonly names: readonly FaultName[];
  /** Judge the history of this folder, and bring nothing about. */
  readonly judge: string | undefined;
  readonly json: string | undefined;
  readonly keep: boolean;
  /** Print what would be done. */
  readonly plan: boolean;
}

export const usage = `usage: npm run test:faults -- [--minutes M] [--seed S] [--episode N] [--only FAULT]... [--json FILE] [--keep] [--plan]
       npm run test:faults -- --judge FOLDER
  --minutes  begin no episode after this time (default 3, at most 600)
  --seed     what happens (default: the time)
  --episode  this episode of the seed alone
  --only     this fault and no other; may be given several times: ${faultNames.join(', ')}
  --judge    run the validators again on a history that was kept
  --json     also write the verdicts to this file
  --keep     keep the history's folder even if all is well
  --plan     print the first twenty episodes and end
Exit codes: 0 all is well, 1 a violation, or no episode was run, 2 it could not be run.`;

export function readOptions(argv: readonly string[], now: number): FaultsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(now % 1_000_000) },
      episode: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      judge: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    minutes: numberIn('minutes', values.minutes, 0, 600),
    seed: numberIn('seed', values.seed, 0, 2 ** 32 - 1),
    episode: values.episode === undefined ? undefined : numberIn('episode', values.episode, 1, 1_000_000),
    names: namesOf(values.only),
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

function namesOf(only: readonly string[]): readonly FaultName[] {
  const unknown = only.find((name) => !faultNames.some((each) => each === name));
  if (unknown !== undefined)
    throw new Error(`Cannot bring "${unknown}" about: it is none of ${faultNames.join(', ')}`);
  return faultNames.filter((name) => only.length === 0 || only.includes(name));
}
