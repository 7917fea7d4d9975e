/**
 * `node apply-refused.ts DIRECTORY WHEN`: applies a text, then a second one that is refused while the disk fills up: by the check that
 * follows its runtime update (`updated`) or by the start (`started`). Then frees the disk and applies a third text. Prints the outcomes
 * of the second and third text, and what was on disk.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigurationCheck } from '../../../../src/engine/config/check.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { deployerFor, goodText } from './apply-scene.ts';

const [directory = '', when = ''] = process.argv.slice(2);
const configPath = join(directory, 'haproxy.cfg');
const socketPath = join(directory, 'master.sock');
const why = { what: 'section-changed', reason: 'x' };
const texts = { good: goodText(1001), bad: goodText(1002), next: goodText(1003) };
const { signal } = new AbortController();
let isFull = false;
const live = (): string => readFileSync(configPath, 'utf8');

async function fillOnce(): Promise<void> {
  if (isFull) return;
  isFull = true;
  await runCommand(['dd', 'if=/dev/zero', `of=${directory}/fill`, 'bs=1k'], { timeoutMs: 10_000 });
}

const check: ConfigurationCheck = async (path) => {
  if (when !== 'updated' || readFileSync(path, 'utf8') !== texts.bad) return { kind: 'valid' };
  await fillOnce();
  return { kind: 'invalid', message: 'no', detail: 'HAProxy says no' };
};
const served = await serveControlSocket(socketPath, async (line): Promise<Answer> => {
  if (line === 'status') return { ok: true };
  const isBad = live() === texts.bad;
  if (isBad && when === 'started') await fillOnce();
  if (isBad && when === 'started') return { ok: false, stage: 'start', message: 'it ended' };
  return { ok: true, generation: 1, tookMs: 5, ...(isBad && { atRunTime: true }) };
});

const deployer = deployerFor({
  configPath,
  socketPath,
  ask: check,
  check: when === 'updated' ? 'when-idle' : 'before-write',
  compare: (_, desired) => ({
    changes: when === 'updated' ? [{}] : [],
    running: desired,
    reload: when === 'updated' ? [] : [why],
  }),
});
const apply = async (text: string) => {
  const before = deployer.outcomes.length;
  await deployer.apply(text, signal, 0o640);
  const isTold = when === 'updated' && text === texts.bad;
  const outcome = isTold
    ? await deployer.later('rejected')
    : await waitFor('an outcome', () => deployer.outcomes.slice(before).at(-1));
  const lies = Object.entries(texts).find(([, each]) => each === live())?.[0];
  return { outcome, lies };
};
await apply(texts.good);
const refused = await apply(texts.bad);
rmSync(join(directory, 'fill'));
const next = await apply(texts.next);
process.stdout.write(JSON.stringify({ refused, next }));
if (served.kind === 'serving') await served.close();
process.exit();
