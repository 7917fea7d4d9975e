import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { LogLine } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test.each(['worker', 'master'] as const)('a killed %s is followed by a new generation', async (victim) => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  const first = await supervisor.waitForServing();
  const load = await host.load({ probe: { port: ports.version, gapMs: 20 } });
  // Only the new generation answers with v2.
  host.install('v2');
  const pid = victim === 'master' ? first.pid : first.workers[0];
  process.kill(pid ?? 0, 'SIGKILL');
  const second = await supervisor.waitForServing(1);
  expect(second).toMatchObject({ generation: 2, config: 'live' });
  await waitFor('connections to be served again', () => load.servedAtMs('v2'));
  await host.waitForGenerations(1);
  expect(host.events('generation-died')).toMatchObject([{ generation: 1, level: 'error' }]);
});

test('a hung worker does not outlive its killed master', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  const { pid, workers } = await supervisor.waitForServing();
  process.kill(workers[0] ?? 0, 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await supervisor.waitForServing(1);
  await waitFor('the worker to end', () => !isRunning(workers[0] ?? 0));
  await host.waitForGenerations(1);
});

test('a generation that keeps dying is restarted after growing pauses, and recovers', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  for (let generation = 1; generation <= 4; generation += 1) {
    const { pid } = await supervisor.waitForServing(generation - 1);
    process.kill(pid, 'SIGKILL');
  }
  await supervisor.waitForServing(4);
  const deaths = host.events('generation-died').map(timeOf);
  const starts = host.events('generation-serving').map(timeOf);
  expect([deaths.length, starts.length]).toEqual([4, 5]);
  for (const [index, pauseMs] of [0, 250, 500, 1_000].entries())
    expect((starts[index + 1] ?? 0) - (deaths[index] ?? 0)).toBeGreaterThanOrEqual(pauseMs);
  await host.waitForGenerations(1);
});

function isRunning(pid: number): boolean {
  return readProcess(pid) !== undefined;
}

const timeOf = (line: LogLine): number => Date.parse(String(line['time']));

/** Resolves once the last good copy is written, which is after the generation serves. */
const lastGoodKept = (host: SupervisedHost) =>
  waitFor('the last good copy', () => existsSync(`${host.paths.dir}/run/haproxy.last-good.cfg`));

test('after a death with a broken configuration, the last good copy serves until a good reload', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  const { pid } = await supervisor.waitForServing();
  await lastGoodKept(host);
  const load = await host.load({ probe: { port: ports.version, gapMs: 20 } });
  writeFileSync(host.paths.config, 'nonsense\n');
  process.kill(pid, 'SIGKILL');
  const fallback = await supervisor.waitForServing(1);
  expect(fallback.config).toBe('last-good');
  await waitFor('v1 to be served', () => load.servedAtMs('v1'));
  expect((await supervisor.status()).lastFailure).toMatchObject({
    stage: 'check',
    detail: expect.stringContaining("unknown keyword 'nonsense'"),
  });
  expect(host.events('falling-back-to-last-good')).toHaveLength(1);

  expect(await supervisor.reload()).toMatchObject({ ok: false, stage: 'check' });
  host.install('v2');
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect(await supervisor.status()).toMatchObject({ current: { config: 'live' }, lastFailure: null });
  await waitFor('v2 to be served', () => load.servedAtMs('v2'));
});

test.each([
  ['a broken', 'nonsense\n'],
  ['an empty', ''],
])('a supervisor that starts with %s configuration serves an earlier last good copy', async (_, text) => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const first = host.supervise();
  await first.waitForServing();
  await lastGoodKept(host);
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  writeFileSync(host.paths.config, text);
  const second = host.supervise();
  expect(await second.waitForServing()).toMatchObject({ config: 'last-good' });
  expect((await second.status()).lastFailure).toMatchObject({ stage: 'check' });
});
