import { expect, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, patientTimes, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { connectRaw } from '../../helpers/supervisor-raw-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const rate = { ratePerSecond: 200 };
const probe = { port: ports.version, gapMs: 10 };
const versions = (count: number) => Array.from({ length: count }, (_, index) => `v${index + 1}`);

test('no connection is lost in five reloads, and each one serves the newest file', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise(patientTimes);
  await supervisor.waitForServing();
  const load = await host.load({ ...rate, probe, servers: versions(6) });
  for (const version of versions(6).slice(1)) {
    host.install(version);
    expect(await supervisor.reload()).toMatchObject({ ok: true });
    await waitFor(`${version} to be served`, () => load.servedAtMs(version));
  }
  const summary = await load.stop();
  expect(summary.lost).toEqual({});
  expect(summary.ok).toBeGreaterThan(0);
  await host.waitForGenerations(1);
  await waitFor('the drained ones to leave the status', async () => {
    const { current, draining } = await supervisor.status();
    return draining.length === 0 && current?.generation === 6;
  });
});

test('a burst of 20 reloads is answered, starts at most two generations and ends with the newest file', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise(patientTimes);
  await supervisor.waitForServing();
  const load = await host.load({ ...rate, probe, servers: versions(21) });
  for (const version of versions(21).slice(1)) host.install(version);
  // All in one write: a request that arrives after the others have started would cause another generation.
  const client = await connectRaw(host.paths.socket);
  client.socket.write('reload\n'.repeat(20));
  const answers = (await client.waitForLines(20)).map((line): unknown => JSON.parse(line));
  client.socket.destroy();
  expect(answers).toEqual(Array.from({ length: 20 }, () => expect.objectContaining({ ok: true })));
  await waitFor('the newest file to be served', () => load.servedAtMs('v21'));
  expect(host.events('generation-serving').length).toBeLessThanOrEqual(3);
  const summary = await load.stop();
  expect(summary.lost).toEqual({});
  await host.waitForGenerations(1);
});

test('SIGHUP reloads', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  host.install('v2');
  supervisor.kill('SIGHUP');
  await supervisor.waitForServing(1);
  const load = await host.load({ probe });
  await waitFor('v2 to be served', () => load.servedAtMs('v2'));
});

test('a server that was down is down in the new generation from its start', async () => {
  await using host = await createSupervisedHost();
  await addSilence(host);
  host.install('v1', quickToFall);
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  await waitFor('the check to find the dead server', async () => (await deadServer(host)) === 'down');
  host.install('v2', slowToFall);
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  await host.waitForGenerations(1);
  expect(await deadServer(host)).toBe('down');
});

test('a down server starts fresh if no generation is left that knew its state', async () => {
  await using host = await createSupervisedHost();
  await addSilence(host);
  host.install('v1', quickToFall);
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  await waitFor('the check to find the dead server', async () => (await deadServer(host)) === 'down');
  const { pid } = await supervisor.reload();
  host.install('v2', slowToFall);
  process.kill(pid ?? 0, 'SIGKILL');
  await supervisor.waitForServing(2);
  expect(await deadServer(host)).toBe('up');
});

/** Connections to this port get no answer, so a check ends with its timeout. */
async function addSilence(host: SupervisedHost): Promise<void> {
  const chain = '{ type filter hook input priority 0; tcp dport 6443 drop; };';
  await host.namespace.run('nft', `table inet silence { chain input ${chain} }`);
}

const backend = (patience: string) => ({
  more: `backend masters
  timeout connect ${patience}
  server dead 127.0.0.1:6443 check inter ${patience} fall 1
`,
});
const quickToFall = backend('100ms');
/** The first check does not end during the test, so only the state file can mark the server as down. */
const slowToFall = backend('2m');

async function deadServer(host: SupervisedHost): Promise<'down' | 'up'> {
  return await waitFor('HAProxy to tell of the dead server', async () => {
    const state = await askRuntimeApi(host.paths.statsSocket, 'show servers state masters', 1_000);
    // be_id be_name srv_id srv_name srv_addr srv_op_state: 0 is stopped, 2 is running.
    const operational = /^\d+ masters \d+ dead \S+ (\d)/m.exec(state ?? '')?.[1];
    if (operational === undefined) return undefined;
    return operational === '0' ? 'down' : 'up';
  });
}
