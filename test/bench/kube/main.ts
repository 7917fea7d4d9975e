/** A program: measures the cost of listing 20,000 objects of the Kubernetes API, in time and in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { route } from '../../helpers/api-server/objects.ts';
import { certificateUser, kubeconfig } from '../../helpers/api-server/observing.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { readBenchOptions } from '../options.ts';
import { spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import { startStandIn } from './stand-in.ts';

const TARGET_MS = 3_000;
const TARGET_MB = 60;

/** Pages of the default size are held to the targets; the others show what the projection and the pages are for. */
const conditions = [
  { name: 'projection, pages of 500', flags: [], isHeld: true },
  { name: 'projection, pages of 50', flags: ['--page', '50'], isHeld: false },
  { name: 'projection, one page', flags: ['--page', '1000000'], isHeld: false },
  { name: 'whole objects, pages of 500', flags: ['--whole'], isHeld: false },
] as const;

const cost = z.object({
  objects: z.number(),
  listMs: z.number(),
  /** Of the process that lists: the same on a busy machine. */
  cpuMs: z.number(),
  peakMb: z.number(),
  keptMb: z.number(),
  residentMb: z.number(),
});
type Cost = z.infer<typeof cost>;

async function listOnce(path: string, flags: readonly string[]): Promise<Cost> {
  const lister = join(import.meta.dirname, 'lister.ts');
  const argv = [process.execPath, '--expose-gc', lister, '--kubeconfig', path, ...flags] as const;
  const { stdout, stderr } = await runCommand(argv, { timeoutMs: 120_000 });
  if (stdout === '') throw new Error(`Cannot list: ${stderr}`);
  return z.parse(cost, JSON.parse(stdout));
}

function middleOf(costs: readonly Cost[], figure: keyof Cost): number {
  const spread = spreadOf(costs.map((each) => each[figure]));
  if (spread === null) throw new Error('Cannot measure in no rounds');
  return spread.median;
}

const usage = `usage: npm run bench:kube [-- --json FILE] [--objects N] [--rounds N]
  --json     also write the figures to this file
  --objects  Routes in the API (default: 20000)
  --rounds   lists of all of them (default: 5)`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  objects: { type: 'string', default: '20000' },
  rounds: { type: 'string', default: '5' },
});
const dir = mkdtempSync(join(tmpdir(), 'hawser-bench-kube-'));
const machine = await describeMachine();
const authority = createAuthority(join(dir, 'pki'));
const names = Array.from({ length: Number(values.objects) }, (_, index) => `route-${index}`);
const state = join(dir, 'state.json');
const objects = names.map((name) => route(`namespace-${name.slice(-2)}`, name, `${name}.apps.example.com`));
writeFileSync(state, JSON.stringify({ objects }));
const standIn = await startStandIn(authority, state);
const path = join(dir, 'kubeconfig');
const user = certificateUser(authority.issue({ commonName: 'bench' }));
writeFileSync(path, kubeconfig(standIn.url, Buffer.from(authority.cert).toString('base64'), user));

console.log(formatMachine(machine));
const title = `${names.length} Routes of ${JSON.stringify(objects[0]).length} bytes, medians of ${values.rounds}`;
const columns = ['ms', 'CPU ms', 'peak heap', 'kept heap', 'resident'];
console.log(`\n${title.padEnd(46)}${columns.map((each) => each.padStart(11)).join('')}`);
const results: Record<string, readonly Cost[]> = {};
const missed: string[] = [];
try {
  for (const { name, flags, isHeld } of conditions) {
    const costs: Cost[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) costs.push(await listOnce(path, flags));
    results[name] = costs;
    const [ms, cpuMs, ...sizes] = (['listMs', 'cpuMs', 'peakMb', 'keptMb', 'residentMb'] as const).map(
      (figure) => middleOf(costs, figure),
    );
    const cells = [
      `${ms?.toFixed(0)}`,
      `${cpuMs?.toFixed(0)}`,
      ...sizes.map((each) => `${each.toFixed(1)} MB`),
    ];
    console.log(`${name.padEnd(46)}${cells.map((each) => each.padStart(11)).join('')}`);
    const isMissed = middleOf(costs, 'listMs') > TARGET_MS || middleOf(costs, 'peakMb') > TARGET_MB;
    if (isHeld && isMissed) missed.push(name);
  }
} finally {
  await standIn.stop();
  rmSync(dir, { recursive: true });
}
console.log(
  missed.length === 0
    ? `every held median within ${TARGET_MS} ms and ${TARGET_MB} MB of heap`
    : `over ${TARGET_MS} ms or ${TARGET_MB} MB of heap: ${missed.join(', ')}`,
);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ results, targetMs: TARGET_MS, targetMb: TARGET_MB, machine, quick: Number(values.rounds) < 3 }, null, 2)}\n`,
  );
process.exitCode = missed.length === 0 ? 0 : 1;
