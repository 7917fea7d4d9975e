import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createVrrpPair, PATIENT, type VrrpNode } from '../../helpers/keepalived-node.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Stands in for a monitor: keeps writing one value until it is stopped. */
function keepWriting(path: string, value: number): { readonly stop: () => void } & Disposable {
  const write = (): void => writeFileSync(path, `${value}\n`);
  write();
  const timer = setInterval(write, 200);
  const stop = (): void => clearInterval(timer);
  return { stop, [Symbol.dispose]: stop };
}

/** A node alone, whose monitor has said this and is not missed. */
async function holderTold(node: VrrpNode, value: number) {
  node.install({ trackFile: true });
  writeFileSync(node.paths.track, `${value}\n`);
  const supervisor = node.supervise(['--monitor-timeout', '1h']);
  return { supervisor, instance: await supervisor.waitForState('MASTER') };
}

test('a monitor that falls silent on the holder gives the VIP to a node whose monitor lives', {
  timeout: 120_000,
}, async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  for (const node of pair.nodes) node.install({ ...PATIENT, trackFile: true });
  using here = keepWriting(a.paths.track, 0);
  using there = keepWriting(b.paths.track, 0);
  // Both are written by this process: one that stops for seconds must not be taken for silent monitors.
  const patient = ['--monitor-timeout', '8s'];
  const [holder, other] = [a.supervise(patient), b.supervise(patient)];
  await holder.waitForState('MASTER');
  await other.waitForState('BACKUP');
  here.stop();
  await other.waitForState('MASTER');
  await holder.waitForState('BACKUP');
  expect(a.events('monitor-silent')).toHaveLength(1);
  await waitFor(
    'the value of a node that holds nothing',
    () => readFileSync(a.paths.track, 'utf8') === '-60\n',
  );

  there.stop();
  await waitFor('the other one to be missed', () => b.events('monitor-silent').length > 0, 30_000);
  expect(b.events('monitor-silent')).toHaveLength(1);
  await waitFor('its holder to keep its bonus', () => readFileSync(b.paths.track, 'utf8') === '-30\n');
  await waitFor('it to count with what is left', async () => {
    const [instance] = (await other.status()).instances;
    return instance?.state === 'MASTER' && instance.priority === 180;
  });

  using back = keepWriting(a.paths.track, 0);
  await holder.waitForState('MASTER');
  // keepalived reads the value by itself, whenever its supervisor does.
  await waitFor('the return to be told', () => a.events('monitor-back').length > 0);
  expect(a.events('monitor-back')).toHaveLength(1);
  back.stop();
});

test('a node in FAULT that is worth something else by now is still in FAULT', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const { supervisor } = await holderTold(a, 0);
  await a.ip('link', 'set', 'eth0', 'down');
  await supervisor.waitForState('FAULT');
  writeFileSync(a.paths.track, '-30\n');
  await waitFor('its priority to be told', () => a.events('vrrp-priority').some(({ to }) => to === 190));
  expect((await supervisor.status()).instances).toMatchObject([{ state: 'FAULT', priority: 190 }]);
});

test('the bonus of a holder does not outlive its keepalived', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  expect((await holderTold(a, 30)).instance).toMatchObject({ priority: 220 });
  expect(readFileSync(a.paths.track, 'utf8')).toBe('0\n');
});
