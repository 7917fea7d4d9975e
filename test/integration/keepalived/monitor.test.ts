import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { notedHealthUrl } from '../../../src/keepalived/fallback-probe.ts';
import { writeParticipationNote } from '../../../src/keepalived/participation-note.ts';
import { readTrackValue } from '../../../src/keepalived/track-file.ts';
import { createVrrpPair, PATIENT, type VrrpNode } from '../../helpers/keepalived-node.ts';
import { readLogEvents } from '../../helpers/supervisor-process.ts';
import { routerHealth } from '../../helpers/vrrp/ingress-router.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

/** Stands in for a monitor: keeps writing the same value until it is stopped. */
function keepWriting(path: string, value: number): { readonly stop: () => void } & Disposable {
  const write = (): void => writeFileSync(path, `${value}\n`);
  write();
  const timer = setInterval(write, 200);
  const stop = (): void => clearInterval(timer);
  return { stop, [Symbol.dispose]: stop };
}

const trackValue = ({ paths }: VrrpNode) => readTrackValue(paths.track);

/** A node without a peer, whose monitor has written this value and does not time out. */
async function holderReporting(node: VrrpNode, value: number) {
  node.install({ trackFile: true });
  writeFileSync(node.paths.track, `${value}\n`);
  const supervisor = node.supervise(['--monitor-timeout', '1h']);
  return { supervisor, instance: await supervisor.waitForState('MASTER') };
}

test('if the monitor of a holder without a service is silent, the VIP moves to a node with a live monitor', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  for (const node of pair.nodes) node.install({ ...PATIENT, trackFile: true });
  using here = keepWriting(a.paths.track, 0);
  using there = keepWriting(b.paths.track, 0);
  // Both files are written by this process: a pause of a few seconds must not look like silent monitors.
  const patient = ['--monitor-timeout', '8s'];
  const holder = a.supervise(patient);
  const other = b.supervise(patient);
  await holder.waitForState('MASTER');
  await other.waitForState('BACKUP');
  here.stop();
  await other.waitForState('MASTER');
  await holder.waitForState('BACKUP');
  expect(a.events('monitor-silent')).toHaveLength(1);
  await waitFor('the value of a node that holds nothing', () => trackValue(a) === -60);

  there.stop();
  await waitFor('the other one to be missed', () => b.events('monitor-silent').length > 0);
  expect(b.events('monitor-silent')).toHaveLength(1);
  await waitFor('its holder to keep its bonus', () => trackValue(b) === -30);
  await waitFor('it to count with what is left', async () => {
    const [instance] = (await other.status()).instances;
    return instance?.state === 'MASTER' && instance.priority === 180;
  });

  using back = keepWriting(a.paths.track, 0);
  await holder.waitForState('MASTER');
  // keepalived reads the value by itself, independently of its supervisor.
  await waitFor('the return to be reported', () => a.events('monitor-back').length > 0);
  expect(a.events('monitor-back')).toHaveLength(1);
  back.stop();
});

/** Answers the health URL in the node's network namespace. */
function startService({ namespace, paths }: VrrpNode): { readonly kill: () => void } & Disposable {
  const [file, ...prefix] = namespace.prefix;
  const program = fileURLToPath(new URL('../../helpers/vrrp/ingress-router.ts', import.meta.url));
  const child = spawn(file, [...prefix, process.execPath, program], { stdio: 'ignore' });
  const healthUrl = notedHealthUrl({ secure: false, host: '127.0.0.1', ...routerHealth });
  writeParticipationNote(paths.track, { before: 'admitted', state: 'in', until: null, value: 0, healthUrl });
  const kill = (): void => void child.kill('SIGKILL');
  return { kill, [Symbol.dispose]: kill };
}

test('a monitor that goes silent on the holder moves nothing while the service that it probed answers', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  for (const node of pair.nodes) node.install({ ...PATIENT, trackFile: true });
  using here = keepWriting(a.paths.track, 0);
  using there = keepWriting(b.paths.track, 0);
  using service = startService(a);
  const patient = ['--monitor-timeout', '8s'];
  const holder = a.supervise(patient);
  const other = b.supervise(patient);
  await holder.waitForState('MASTER');
  await other.waitForState('BACKUP');
  await waitFor('the service', () =>
    a.namespace.run('curl', '-sf', `http://127.0.0.1:${routerHealth.port}${routerHealth.path}`).then(
      () => true,
      () => false,
    ),
  );
  const taken = () => b.events('vrrp-transition').filter(({ to }) => to === 'MASTER').length;
  const takenBefore = taken();
  here.stop();
  await times('monitor-silent', () => a.events('monitor-silent'), 1);
  await waitFor("a holder's value", () => trackValue(a) === 30);
  expect((await holder.status()).trackFiles).toMatchObject([{ silent: true, demoted: false, value: 30 }]);
  expect(a.events('node-demoted')).toEqual([]);
  expect(taken()).toBe(takenBefore);

  service.kill();
  await other.waitForState('MASTER');
  await holder.waitForState('BACKUP');
  expect(a.events('node-demoted')).toHaveLength(1);
  const order = ['node-demoted', 'vrrp-transition'];
  const afterwards = readLogEvents(a.paths.log).filter(
    ({ event, to }) => order.includes(event) && to !== 'MASTER',
  );
  expect(afterwards.slice(-2)).toMatchObject([{ event: 'node-demoted' }, { to: 'BACKUP' }]);
  there.stop();
});

test('a node in FAULT stays in FAULT when its priority changes', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const { supervisor } = await holderReporting(a, 0);
  await a.ip('link', 'set', 'eth0', 'down');
  await supervisor.waitForState('FAULT');
  writeFileSync(a.paths.track, '-30\n');
  await waitFor('its priority to be reported', () => a.events('vrrp-priority').some(({ to }) => to === 190));
  expect((await supervisor.status()).instances).toMatchObject([{ state: 'FAULT', priority: 190 }]);
});

test('the bonus of a holder does not outlive its keepalived', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  expect((await holderReporting(a, 30)).instance).toMatchObject({ priority: 220 });
  expect(trackValue(a)).toBe(0);
});
