import { constants, setPriority } from 'node:os';
import { expect, test } from 'vitest';
import { parseRunningServers, type RunningServer } from '../../../../src/haproxy/text/servers-state.ts';
import { openSetWorld } from '../../../helpers/router/set-world.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const alone = { checks: 'paused', isDown: false, isOut: false };
const checkedAndDead = { checks: 'on', isDown: true };

test('a service scaled from one pod to two, to none and back needs no reload, and a single pod is not checked', async () => {
  const { host, supervisor, begin, want, tell } = await openSetWorld();
  const shop = { name: 'a', host: 'a.test', isChecked: true } as const;
  const servers = async (): Promise<Readonly<Record<string, RunningServer>>> => {
    const found = parseRunningServers(await tell('show servers state'));
    const ours = [...(found ?? [])].filter(([name]) => name.startsWith('be_edge_http:shop:a/'));
    return Object.fromEntries(ours.map(([name, server]) => [name.slice(name.indexOf('/') + 1), server]));
  };
  const scaleTo = async (...numbers: readonly number[]) =>
    expect(await want({ ...shop, servers: numbers })).toMatchObject({ kind: 'reloaded', atRunTime: true });
  const one = { ...shop, servers: [1] };
  const two = [1, 2];
  await begin(one);
  const processes = host.haproxys().map(({ id }) => id.pid);
  expect(await servers()).toMatchObject({ 'pod-1': alone });

  await scaleTo(...two);
  // Nothing listens on their addresses.
  await waitFor('both to be found dead', async () => {
    const { 'pod-1': first, 'pod-2': second } = await servers();
    return first?.isDown === true && second?.isDown === true;
  });
  expect(await servers()).toMatchObject({ 'pod-1': checkedAndDead, 'pod-2': checkedAndDead });
  await scaleTo(2);
  expect(await servers()).toMatchObject({ 'pod-1': { isOut: true }, 'pod-2': alone });
  await scaleTo();
  await scaleTo(1);
  expect(await servers()).toMatchObject({ 'pod-1': alone, 'pod-2': { isOut: true } });
  await scaleTo(...two);
  expect(await servers()).toMatchObject({ 'pod-1': { checks: 'on' }, 'pod-2': { checks: 'on' } });
  await scaleTo(1);
  expect(host.haproxys().map(({ id }) => id.pid)).toEqual(processes);

  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect(await servers()).toEqual({ 'pod-1': expect.objectContaining(alone) });
});

test('hundreds of pods that come and go at once need no reload', async () => {
  const { host, begin, want, runs, shouldRun } = await openSetWorld();
  const few = [1];
  const many = Array.from({ length: 250 }, (_, index) => index + 1);
  const shops = (servers: readonly number[]) =>
    ['a', 'b'].map((name) => ({ name, host: `${name}.test`, servers }));
  await begin(...shops(few));
  // HAProxy has five seconds for each of a thousand commands. On a busy machine it could miss that limit and be replaced.
  for (const { id } of host.haproxys()) setPriority(id.pid, constants.priority.PRIORITY_HIGHEST);
  for (const servers of [many, few]) {
    expect(await want(...shops(servers))).toMatchObject({ kind: 'reloaded', atRunTime: true });
    expect((await runs()).servers).toEqual(shouldRun(...shops(servers)).servers);
  }
});

test('checks that were enabled by hand, and a server marked down by hand, are reset', async () => {
  const { host, begin, tell } = await openSetWorld();
  await begin({ name: 'a', host: 'a.test', isChecked: true });
  const state = async () => (await tell('show stat be_edge_http:shop:a 4 -1')).split('\n')[1]?.split(',')[17];
  expect(await state()).toBe('no check');
  await tell('set server be_edge_http:shop:a/pod-1 health down');
  await tell('enable health be_edge_http:shop:a/pod-1');
  await waitFor('the repair', () => host.events('drift-repaired').length > 0);
  await waitFor('it to be as before', async () => (await state()) === 'no check');
});
