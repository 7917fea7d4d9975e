/** A program that measures how long the VIP has no holder after all nodes lose power. See `usage`. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { startApiServer } from '../../helpers/vrrp/api-server.ts';
import { createHawserStack } from '../../helpers/vrrp/hawser.ts';
import { quietFor } from '../../helpers/vrrp/holdings.ts';
import { createVrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { chosen } from '../options.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { type Boot, type BootFigures, boots, measureBoot } from './boots.ts';
import { phaseNames } from './phases.ts';

const usage = `usage: npm run bench:boot [-- --json FILE] [--only BOOT]... [--trials N] [--logs DIR]
  --json     also write the figures to this file
  --only     ${boots.map(({ name }) => name).join(', ')}; may be given several times
  --trials   of each boot (default: 5)
  --logs     keep what the programs of the last trial said
Exit codes: 0 every target met, 1 a target missed, 2 it could not be measured.`;

/** Limits for the maximum of all trials. A first start listens for foreign routers first, so its holder has no target. */
const target = { holderMs: 4_000, furtherMoves: 1, twoHoldersMs: 0 };
const isFirst = (name: string): boolean => boots.find((boot) => boot.name === name)?.files === 'none';

interface Summary {
  readonly figures: Readonly<Record<'holderMs' | 'twoHoldersMs' | 'furtherMoves', Spread | null>>;
  readonly phases: Readonly<Record<string, Spread | null>>;
  readonly trials: readonly BootFigures[];
}

function summarize(trials: readonly BootFigures[]): Summary {
  const spread = (of: (figures: BootFigures) => number | undefined) =>
    spreadOf(trials.flatMap((each) => of(each) ?? []));
  return {
    figures: {
      holderMs: spread(({ holderMs }) => holderMs),
      twoHoldersMs: spread(({ twoHoldersMs }) => twoHoldersMs),
      furtherMoves: spread(({ furtherMoves }) => furtherMoves),
    },
    phases: Object.fromEntries(phaseNames.map((name) => [name, spread(({ phases }) => phases[name])])),
    trials,
  };
}

function format({ name, about }: Boot, { figures, phases }: Summary): string {
  const rows = [...Object.entries(figures), ...Object.entries(phases)].flatMap(([what, spread]) => {
    if (spread === null) return [];
    const cells = [spread.median, spread.min, spread.max].map((each) => each.toFixed(0).padStart(8));
    return `  ${what.padEnd(24)}${cells.join('')}${String(spread.count).padStart(5)}`;
  });
  return [`${name}: ${about}`, ...rows, ''].join('\n');
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      json: { type: 'string' },
      only: { type: 'string', multiple: true },
      trials: { type: 'string', default: '5' },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return true;
  }
  const names = chosen(
    'boot',
    values.only,
    boots.map(({ name }) => name),
  );
  ensureBuilt();
  const quick = Number(values.trials) < 3;
  const machine = await describeMachine();
  await using bed = await createVrrpBed(3);
  const stack = createHawserStack(bed, { flags: { 'keepalived-monitor': ['--log-level', 'debug'] } });
  for (const node of bed.nodes) startApiServer(bed, node);
  for (const node of bed.nodes) await stack.start(node);
  await waitFor('a holder', () => bed.holders().length === 1 && quietFor(bed.events(), 3_000));
  console.log(`${formatMachine(machine)}\n\nms since the last program was started: median, min, max, n\n`);
  const results: Record<string, Summary> = {};
  for (const boot of boots.filter(({ name }) => names.includes(name))) {
    const trials: BootFigures[] = [];
    while (trials.length < Number(values.trials)) trials.push(await measureBoot(bed, stack, boot));
    const summary = summarize(trials);
    results[boot.name] = summary;
    console.log(format(boot, summary));
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify({ boots: results, target, machine, quick }, null, 2)}\n`);
  }
  if (values.logs !== undefined) {
    mkdirSync(values.logs, { recursive: true });
    for (const node of bed.nodes)
      cpSync(node.dir, join(values.logs, node.name), {
        recursive: true,
        filter: (path) => !/\.(sock|fifo)$/.test(path),
      });
  }
  const missed = Object.entries(results).flatMap(([name, { figures }]) =>
    Object.entries(target).flatMap(([what, atMost]) =>
      !(what === 'holderMs' && isFirst(name)) && (figures[what as keyof typeof target]?.max ?? 0) > atMost
        ? `${name}.${what}`
        : [],
    ),
  );
  console.log(missed.length === 0 ? 'every target met' : `targets missed: ${missed.join(', ')}`);
  return missed.length === 0;
}

try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 2;
}
