/** A program that runs the benches one after another and writes the pages of figures from their results. See `usage`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/engine/system/errors.ts';
import { chosen } from './options.ts';
import { writePage } from './page/write-page.ts';

const docs = join(import.meta.dirname, '../../docs');

/** In the order in which they run, with the flags for small sizes. */
const benches: Readonly<Record<string, readonly string[]>> = {
  data: ['--quick'],
  change: ['--rounds', '4'],
  reload: ['--quick'],
  failover: ['--quick'],
  boot: ['--trials', '1'],
  footprint: ['--reloads', '10', '--rest-seconds', '5', '--rounds', '3'],
  image: [],
  scale: ['--seconds', '20'],
  router: ['--rounds', '2', '--routes', '100', '--routes', '1000', '--reloads', '5'],
};

const usage = `usage: npm run bench [-- --only BENCH]... [--quick] [--page-only] [--folder DIR]
  --only       this bench and no other (${Object.keys(benches).join(', ')}); may be given several times
  --quick      small sizes, to try the benches themselves
  --page-only  run nothing: write docs/performance.md and its charts from the results that are there
  --folder     where the results are (default: docs/performance)
A bench that was run with other flags takes part as well: --json docs/performance/failover-tail.json.`;

/** A missed target is a result too. A bench that could not measure keeps its previous results. */
async function run(name: string, flags: readonly string[]): Promise<void> {
  process.stderr.write(`bench:${name}\n`);
  const program = join(import.meta.dirname, name, 'main.ts');
  const child = spawn(process.execPath, [program, ...flags], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.stderr.write(`bench:${name} ended with ${code}\n`);
}

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      'page-only': { type: 'boolean', default: false },
      folder: { type: 'string', default: join(docs, 'performance') },
      help: { type: 'boolean', default: false },
    },
  });
  const folder = resolve(values.folder);
  mkdirSync(folder, { recursive: true });
  const names = chosen('bench', values.only, Object.keys(benches));
  if (values.help) console.log(usage);
  else {
    for (const name of values['page-only'] ? [] : names) {
      const json = ['--json', join(folder, `${name}.json`)];
      await run(name, [...json, ...(values.quick ? (benches[name] ?? []) : [])]);
    }
    writePage(folder, docs);
  }
} catch (error) {
  console.error(`${messageOf(error)}\n${usage}`);
  process.exitCode = 2;
}
