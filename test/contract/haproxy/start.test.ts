import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('the first start serves the existing configuration', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  const current = await supervisor.waitForServing();
  expect(current).toMatchObject({ generation: 1, config: 'live' });
  await waitFor(
    'its sessions to be counted',
    async () => (await supervisor.status()).current?.sessions === 0,
  );
  const load = await host.load({ probe: { port: ports.version, gapMs: 20 } });
  await waitFor('v1 to be served', () => load.servedAtMs('v1'));
  expect(statSync(host.paths.socket).mode & 0o777).toBe(0o600);
  await host.waitForGenerations(1);
});

test("hawser's malloc settings are not passed on to haproxy", async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise(undefined, { HAWSER_TEST_MARK: 'inherited' });
  const { pid } = await supervisor.waitForServing();
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  expect(environment).toContain('HAWSER_TEST_MARK=inherited');
  expect(environment).not.toContain('MALLOC_');
  const ours = (await readFile(`/proc/${supervisor.pid}/environ`, 'utf8')).split('\0');
  expect(ours.filter((it) => it.startsWith('MALLOC_'))).toHaveLength(4);
});

test.each([
  ['a missing', undefined],
  ['an empty', ''],
])('%s configuration waits for the first reload', async (_, text) => {
  await using host = await createSupervisedHost();
  if (text !== undefined) writeFileSync(host.paths.config, text);
  const supervisor = host.supervise();
  await waitFor('the supervisor to listen', () => existsSync(host.paths.socket));
  expect(await supervisor.status()).toMatchObject({ phase: 'waiting-for-configuration', current: null });
  expect(host.haproxys()).toEqual([]);
  host.install('v1');
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 1 });
  expect(await supervisor.status()).toMatchObject({ phase: 'serving', lastFailure: null });
});

test('a full disk keeps neither the first generation nor a reload from serving', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  // Like a full disk: neither file can be written.
  for (const path of [`${host.paths.record}.new`, host.paths.stateFile]) mkdirSync(path, { recursive: true });
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 2 });
  expect(existsSync(host.paths.record)).toBe(false);
  const complaints = host.events('record-not-written');
  expect(complaints).toMatchObject([{ level: 'error', message: expect.stringContaining('EISDIR') }]);
});

test('on a full disk HAProxy starts without the state of an earlier generation', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  // Like a full disk: nothing can be written next to it.
  mkdirSync(`${host.paths.stateFile}.new`, { recursive: true });
  writeFileSync(host.paths.stateFile, '1\nold\n');
  await host.supervise().waitForServing();
  expect(existsSync(host.paths.stateFile)).toBe(false);
});

test('a second supervisor on a live socket exits with 2 and does not affect the first one', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const first = host.supervise();
  const before = await first.waitForServing();
  const second = host.supervise();
  expect(await second.ended).toBe(2);
  expect(await readFile(host.paths.log, 'utf8')).toContain('another supervisor answers there');
  expect(await first.status()).toMatchObject({ current: { pid: before.pid, generation: 1 }, draining: [] });
  await host.waitForGenerations(1);
});

test("a file at the control socket's path is reported, kept, and ends the start with 2", async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  writeFileSync(host.paths.socket, 'precious');
  const supervisor = host.supervise();
  expect(await supervisor.ended).toBe(2);
  expect(await readFile(host.paths.log, 'utf8')).toContain(host.paths.socket);
  expect(await readFile(host.paths.socket, 'utf8')).toBe('precious');
  expect(host.haproxys()).toEqual([]);
});
