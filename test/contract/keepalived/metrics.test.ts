import { expect, test } from 'vitest';
import { vrrpStatusSchema } from '../../../src/keepalived/supervise/vrrp-status.ts';
import {
  createVrrpPair,
  keepalivedProcesses,
  startBoth,
  startHolder,
  VIP,
  type VrrpNode,
} from '../../helpers/keepalived-node.ts';
import { drivenPages } from '../../helpers/monitoring/driven-pages.ts';
import { parseExposition, plainNames } from '../../helpers/monitoring/exposition.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const page = 'http://127.0.0.1:29448';

async function metricsOf(node: VrrpNode): Promise<readonly string[]> {
  return (await node.namespace.run('curl', '-sf', `${page}/metrics`)).split('\n');
}

test("a supervisor's metrics show whether it holds the VIP, and count events", async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder] = await startBoth(pair.nodes);
  expect(await a.namespace.run('curl', '-sf', `${page}/healthz`)).toBe('ok\n');
  expect(await metricsOf(a)).toContain(`hawser_vip_holder{vrrp_instance="API",vip="${VIP}"} 1`);
  expect(await metricsOf(b)).toContain(`hawser_vip_holder{vrrp_instance="API",vip="${VIP}"} 0`);
  const told = vrrpStatusSchema.parse(JSON.parse(await a.namespace.run('curl', '-sf', `${page}/status`)));
  const { current, instances } = await holder.status();
  expect(told.current).toMatchObject({ pid: current?.pid, configSha256: current?.configSha256 });
  expect(told.instances).toMatchObject([{ name: 'API', state: 'MASTER', priority: instances[0]?.priority }]);
  const expected = plainNames((await drivenPages()).get('hawser-keepalived') ?? []);
  expect(plainNames(parseExposition((await metricsOf(a)).join('\n')))).toEqual(
    expect.arrayContaining([...expected]),
  );
  await holder.ask('reload');
  a.install({ extra: 'virtual_router_id 777' });
  await holder.ask('reload');
  const lines = await metricsOf(a);
  // A node that is starved of CPU may lose the VIP and take it again.
  expect(lines.join('\n')).toMatch(
    /^hawser_vip_transitions_total\{vrrp_instance="API",to="MASTER",reason="no-better-advert"\} [1-9]/m,
  );
  expect(lines).toContain('hawser_reloads_total{result="done"} 1');
  expect(lines).toContain('hawser_reloads_total{result="rejected"} 1');
  expect(lines).toContain('hawser_config_rejected_total 1');
});

test('a supervisor works even if its metrics address is not available', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  for (const node of pair.nodes) node.install();
  const first = a.supervise(['--listen', '10.77.0.12:29448']);
  await first.waitForState('MASTER');
  expect(a.events('metrics-not-served')).toMatchObject([{ level: 'warn', host: '10.77.0.12' }]);
  await b.supervise(['--listen', 'off']).waitForState('BACKUP');
  await expect(metricsOf(b)).rejects.toThrow();
});

test("keepalived's late timers are reported as starvation", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const isCounted = async () =>
    (await metricsOf(a)).some((line) => /^hawser_keepalived_timer_delays_total [1-9]/.test(line));
  // A process stopped for too long is considered hung and replaced before it can report the delay. Then the next one is tried.
  const delayAnother = async () => {
    if (await isCounted()) return true;
    const [, vrrp] = keepalivedProcesses((await supervisor.status()).current?.pid);
    if (vrrp === undefined) return false;
    process.kill(vrrp.pid, 'SIGSTOP');
    const stoppedAt = performance.now();
    await waitFor('an advert to be late', () => performance.now() - stoppedAt > 500);
    process.kill(vrrp.pid, 'SIGCONT');
    return false;
  };
  await waitFor('a delay to be counted', delayAnother, undefined, 3_000);
  await waitFor('it to be reported', () => a.events('cpu-starvation').length > 0);
});
