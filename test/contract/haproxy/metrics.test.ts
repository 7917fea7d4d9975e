import { expect, test } from 'vitest';
import { supervisorStatusSchema } from '../../../src/haproxy/supervise/supervisor-status.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';

test("the supervisor's page counts reloads and running generations", async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  host.install('v2');
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  const page = await host.namespace.run('curl', '-sf', 'http://127.0.0.1:29449/metrics');
  expect(page.split('\n')).toEqual(
    expect.arrayContaining([
      'hawser_generations{state="serving"} 1',
      'hawser_generations{state="starting"} 0',
      'hawser_reloads_total{result="done"} 1',
      'hawser_reload_duration_seconds_count 1',
      'hawser_config_rejected_total 0',
    ]),
  );
  expect(await host.namespace.run('curl', '-sf', 'http://127.0.0.1:29449/healthz')).toBe('ok\n');
});

test("the supervisor's page has the same status as its socket", async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const page = await host.namespace.run('curl', '-sf', 'http://127.0.0.1:29449/status');
  const shown = supervisorStatusSchema.parse(JSON.parse(page));
  const { current } = await supervisor.status();
  expect(shown).toMatchObject({ phase: 'serving', draining: [], restart: null });
  expect(shown.current).toMatchObject({
    generation: 1,
    pid: current?.pid,
    configSha256: current?.configSha256,
  });
});
