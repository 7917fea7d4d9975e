import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVrrpPair, startHolder, VIP } from '../../helpers/keepalived-node.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('the first start makes the node with the highest priority hold the VIP', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  a.install();
  b.install();
  const first = a.supervise();
  const second = b.supervise();
  await first.waitForState('MASTER');
  // The other node may have been quicker at first.
  await waitFor(
    'the VIP to be on the first node alone',
    async () => (await a.holdsVip()) && !(await b.holdsVip()),
  );
  await second.waitForState('BACKUP');
  for (const path of [a.paths.socket, a.paths.fifo]) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(a.paths.states, 'utf8'))).toMatchObject({
    instances: [{ name: 'API', state: 'MASTER', priority: 220 }],
  });
  expect(await first.status()).toMatchObject({
    phase: 'running',
    restarts: 0,
    instances: [{ name: 'API', vips: [{ address: VIP, present: true }] }],
    lastTransition: { instance: 'API', from: 'BACKUP', to: 'MASTER' },
    lastFailure: null,
  });
  expect(await first.ask('dance')).toMatchObject({ ok: false, stage: 'protocol' });
});

test('a supervisor without a configuration waits for the first reload', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = a.supervise();
  await supervisor.waitForPhase('waiting-for-configuration');
  expect(await supervisor.ask('reload')).toMatchObject({ ok: false, stage: 'check' });
  a.install();
  // The supervisor may see the file before the request arrives. The request is then a reload of the first generation.
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true });
  await supervisor.waitForState('MASTER');
});

test("a node without its track file's folder stays out until its monitor writes", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const folder = join(a.paths.dir, 'later');
  a.install({ trackFile: true });
  const text = readFileSync(a.paths.config, 'utf8');
  writeFileSync(a.paths.config, text.replace(a.paths.track, join(folder, 'lb.track')));
  const supervisor = a.supervise();
  await supervisor.waitForState('FAULT');
  expect(readFileSync(join(folder, 'lb.track'), 'utf8')).toBe('-254\n');
  writeFileSync(join(folder, 'lb.track'), '0\n');
  await supervisor.waitForState('MASTER');
});

/** As in the pod, whose root is read-only. keepalived's own files are in the run directory. */
const readOnlyRun = 'mount --bind /run /run && mount -o remount,bind,ro /run && exec "$@"';

test('keepalived starts with a read-only /run', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  a.install();
  const supervisor = a.supervise([], ['unshare', '--mount', 'sh', '-c', readOnlyRun, 'sh']);
  await supervisor.waitForState('MASTER');
});

test("a supervisor that waits for its configuration passes the kubelet's probe, and a dead one does not", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = a.supervise();
  await waitFor('the supervisor to answer', async () => (await supervisor.status()).phase !== 'running');
  const probe = [hawser, 'keepalived', 'status', '--alive', '--socket', a.paths.socket] as const;
  await a.namespace.run(...probe);
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  await expect(a.namespace.run(...probe)).rejects.toThrow('exit code 1');
});

test('a second supervisor exits with 2 without affecting keepalived and the VIP', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const first = await startHolder(a);
  const before = await first.status();
  expect(await a.supervise().ended).toBe(2);
  expect(readFileSync(a.paths.log, 'utf8')).toContain('another supervisor answers there');
  const after = await first.status();
  expect(after.current?.pid).toBe(before.current?.pid);
  expect(after.lastTransition).toMatchObject({ to: 'MASTER' });
  expect(await a.holdsVip()).toBe(true);
});

test('a leftover VIP is removed before keepalived starts', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  a.install();
  b.install();
  const holder = a.supervise();
  await holder.waitForState('MASTER');
  await b.ip('address', 'add', `${VIP}/32`, 'dev', 'eth0');
  const other = b.supervise();
  await other.waitForState('BACKUP');
  expect(await b.holdsVip()).toBe(false);
  expect(b.events('stale-vip-removed')).toMatchObject([{ removed: [`${VIP}/32 dev eth0`] }]);
  expect(await a.holdsVip()).toBe(true);
});

test("another file at the FIFO's path is named and kept, and the exit code is 2", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  a.install();
  writeFileSync(a.paths.fifo, 'precious');
  expect(await a.supervise().ended).toBe(2);
  expect(readFileSync(a.paths.log, 'utf8')).toContain(a.paths.fifo);
  expect(readFileSync(a.paths.fifo, 'utf8')).toBe('precious');
});

test("the client commands print the supervisor's answers as text", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  a.install();
  await a.supervise().waitForState('MASTER');
  const client = async (...words: readonly string[]): Promise<string> =>
    await a.namespace.run(hawser, 'keepalived', ...words, '--socket', a.paths.socket);
  expect(await client('status')).toMatch(/instance {4}API MASTER for .*, priority 220: 10\.77\.0\.100 here/);
  expect(JSON.parse(await client('status', '--json'))).toMatchObject({ ok: true, phase: 'running' });
  expect(await client('reload')).toMatch(/keepalived runs on configuration 2, pid \d+/);
  expect(await client('stop')).toBe('keepalived is stopped, no VIP is left\n');
  expect(await client('status')).toContain('nothing runs');
  expect(await client('start')).toMatch(/keepalived runs, pid \d+/);
});
