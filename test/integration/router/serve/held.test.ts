import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { podAddress, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import type { LogLine } from '../../../helpers/supervisor-process.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** Time between two new routes of a tenant who creates them in a loop. */
const EVERY_MS = 200;
const OURS = 'calm.test';
const calm = (...pods: readonly number[]): readonly StoredObject[] => [
  plainRoute('web', OURS, { namespace: 'calm' }),
  slice('web', pods, 'calm'),
];

/** A tenant that creates one route after the other in the API, in addition to the existing objects. */
function busyTenant(set: (objects: readonly StoredObject[]) => void) {
  const stop = new AbortController();
  const created: StoredObject[] = [slice('shop', [0], 'busy')];
  let others: readonly StoredObject[] = [];
  const newest = (): string => `r${created.length - 1}.busy.test`;
  const show = () => set([...others, ...created]);
  const create = (): void => {
    const count = created.length;
    created.push(plainRoute(`r${count}`, `r${count}.busy.test`, { namespace: 'busy', service: 'shop' }));
    show();
  };
  const run = async (): Promise<void> => {
    try {
      for await (const _ of setInterval(EVERY_MS, undefined, { signal: stop.signal })) create();
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  };
  onTestFinished(() => stop.abort());
  return {
    newest,
    run,
    stop: () => stop.abort(),
    beside: (objects: readonly StoredObject[]) => {
      others = objects;
      show();
    },
  };
}

test("a pod that moves is found at once while another tenant's new routes wait for their reload, and the file has both", async () => {
  await using live = await startLiveRouter({ objects: calm(0), env: { RELOAD_INTERVAL: '10m' } });
  await live.answers(OURS, 'a');
  await live.says('configuration-reloaded');
  const before = await live.generation();
  const tenant = busyTenant(live.set);
  tenant.beside(calm(0));
  const running = tenant.run();
  const none = tenant.newest();
  await waitFor('a new route', () => tenant.newest() !== none);
  // Two processes: the route is in the API before the router sees it.
  await waitFor('the router to decide on it', async () => (await live.gauge('hawser_router_routes')) > 1);

  for (const [pod, name] of [
    [1, 'b'],
    [0, 'a'],
    [1, 'b'],
  ] as const) {
    tenant.beside(calm(pod));
    await live.answers(OURS, name);
  }
  // The file on disk is the newest configuration, which a restart would read.
  const onDisk = () => readFileSync(live.config, 'utf8');
  await waitFor('the file', () => onDisk().includes(`${podAddress(1)}:`));
  expect(onDisk()).toContain('busy:r');
  const newest = tenant.newest();
  expect([await live.generation(), (await live.ask(newest)).status]).toEqual([before, 503]);

  tenant.stop();
  await running;
  await waitFor('the newest route in the file', () =>
    onDisk().includes(`busy:${tenant.newest().split('.')[0]}`),
  );
  // The router's own reload is minutes away.
  expect(await live.supervisor.reload()).toMatchObject({ ok: true, generation: before + 1 });
  await live.answers(tenant.newest(), 'a');
  expect((await live.ask(OURS)).body).toBe('b');
  const parts = live
    .events('configuration-changed')
    .map((line: LogLine & { isPart?: unknown }) => line.isPart);
  expect(parts).toEqual([true, true, true]);
});
