import { expect, onTestFinished, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** On a busy machine, thirty seconds of CPU time take minutes. */
const DEADLINE_MS = 540_000;
const LONG_DRAIN = ['--force-delete-timeout', '10m', '--drain-timeout', '10m', '--start-timeout', '60s'];

/** One thread, so that the spinning thread is the one that answers. */
async function startSpinning() {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  host.install('v1', { global: '  nbthread 1\n' });
  // Linux counts a timer as a pending signal. If HAProxy gets no timer, it starts without its watchdog.
  const supervisor = host.supervise(LONG_DRAIN, {}, ['prlimit', '--sigpending=0']);
  await supervisor.waitForServing();
  const spin = `expert-mode on; debug dev loop ${2 * DEADLINE_MS}`;
  void askRuntimeApi(host.paths.statsSocket, spin, DEADLINE_MS);
  return { host, supervisor };
}

test('a worker that spins without a watchdog is killed after thirty seconds of CPU time', {
  timeout: DEADLINE_MS,
}, async () => {
  const { host, supervisor } = await startSpinning();
  await waitFor('the busy worker to be seen', () => host.events('generation-busy')[0], DEADLINE_MS);
  // Another generation serves long before the kill.
  await supervisor.waitForServing(1);
  await waitFor('the end of generation 1', () => host.events('generation-gone')[0], DEADLINE_MS);
  expect(host.events('generation-hung')).toMatchObject([{ generation: 1, hangs: 'worker' }]);
  expect(Number(host.events('generation-hung')[0]?.['stillMs'])).toBeGreaterThanOrEqual(30_000);
  expect((await supervisor.status()).current).toMatchObject({ generation: 2 });
});
