import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { placeOrder } from '../../../src/vip/orders/order-file.ts';
import { servePages } from '../../helpers/status-pages.ts';
import { keepalivedMonitorSays } from '../../helpers/status-samples.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Shorter than the waits that an overtaken order must not sit out. */
const TIMEOUT_MS = 15_000;

/** A monitor that follows the order file only if `says` says so. */
async function monitorThatSays(says: string | null) {
  const stop = new AbortController();
  const directory = testFolder();
  onTestFinished(() => void stop.abort());
  const [standing] = keepalivedMonitorSays.priorities;
  const priorities = [{ ...standing, order: says }];
  const { pages } = await servePages(
    { 'keepalived-monitor': { ...keepalivedMonitorSays, priorities } },
    stop.signal,
  );
  const order = join(directory, 'order.json');
  const page = pages['keepalived-monitor'];
  const flags = ['--steering', order, '--keepalived-monitor', `${page?.host}:${page?.port}`];
  return {
    order,
    run: (...argv: readonly string[]) => runCommand([hawser, ...argv, ...flags], { timeoutMs: TIMEOUT_MS }),
  };
}

const drainBy = (by: string, id: string, ...more: readonly 'ingress'[]) =>
  ({
    v: 1,
    order: 'drain',
    id,
    by,
    why: '',
    at: '2026-11-21T12:00:00.000Z',
    vips: ['api', ...more],
  }) as const;

test('a drain that is withdrawn before it takes effect says so at once', async () => {
  const monitor = await monitorThatSays(null);
  const drain = monitor.run('drain', '--force', '--timeout', '60s');
  await waitFor('the order', () => existsSync(monitor.order) && readFileSync(monitor.order, 'utf8') !== '');
  rmSync(monitor.order);
  const { exitCode, stderr } = await drain;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('is not drained by this order: the order was cancelled (hawser undrain)');
});

test('an undrain of one VIP leaves the other one drained', async () => {
  const monitor = await monitorThatSays('drained');
  await placeOrder(monitor.order, drainBy('a@b', '1111111111111111', 'ingress'));
  expect((await monitor.run('undrain', '--kind', 'ingress')).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(monitor.order, 'utf8'))).toMatchObject({ by: 'a@b', vips: ['api'] });
});

test('an undrain of the only VIP that this node still has ends the drain', async () => {
  const monitor = await monitorThatSays(null);
  await placeOrder(monitor.order, drainBy('a@b', '1111111111111111', 'ingress'));
  expect((await monitor.run('undrain', '--kind', 'api')).exitCode).toBe(0);
  expect(existsSync(monitor.order)).toBe(false);
});

test('an undrain overtaken by a new drain says so at once, and by whom', async () => {
  const monitor = await monitorThatSays('drained');
  await placeOrder(monitor.order, drainBy('a@b', '1111111111111111'));
  const undrain = monitor.run('undrain');
  await waitFor('the order to be gone', () => !existsSync(monitor.order));
  await placeOrder(monitor.order, drainBy('root@cp-2', '2222222222222222'));
  const { exitCode, stderr } = await undrain;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('drained again in the meantime by root@cp-2: that order stands');
});
