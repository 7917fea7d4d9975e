/** A program that feeds hostile input to everything that reads foreign data, with the real HAProxy and keepalived as judges. */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/engine/system/errors.ts';
import { chosen } from '../bench/options.ts';
import { targets } from './table.ts';
import { runTarget } from './target.ts';

const usage = `usage: npm run test:fuzz -- [--cases N] [--seed S] [--only NAME]...
  --cases  for each target (default 100000)
  --seed   what is tried (default: the time)
  --only   this target and no other; may be given several times: ${targets.map(({ name }) => name).join(', ')}
Exit codes: 0 every claim held, 1 one did not, 2 it could not be run.`;

function numberIn(what: string, text: string, from: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= from && value < 2 ** 31) return value;
  throw new Error(`Cannot read --${what} "${text}": expected a whole number from ${from}`);
}

async function run(cases: number, seed: number, names: readonly string[]): Promise<number> {
  let exitCode = 0;
  for (const target of targets.filter(({ name }) => names.includes(name))) {
    const beganAt = performance.now();
    const found = await runTarget(target, cases, seed);
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    console.log(
      `${target.name.padEnd(20)} ${String(found.cases).padStart(8)} cases ${seconds.padStart(8)} s  ${found.kind === 'held' ? 'held' : 'FAILED'}: ${target.claim}`,
    );
    if (found.kind === 'held') continue;
    exitCode = 1;
    console.log(
      `${found.report}\nrepeat it: npm run test:fuzz -- --cases ${cases} --seed ${seed} --only ${target.name}`,
    );
  }
  return exitCode;
}

try {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string', multiple: true },
    },
  });
  const known = targets.map(({ name }) => name);
  if (values.help) console.log(usage);
  else
    process.exitCode = await run(
      numberIn('cases', values.cases, 1),
      numberIn('seed', values.seed, 0),
      chosen('target', values.only, known),
    );
} catch (error) {
  process.exitCode = 2;
  console.error(messageOf(error));
}
