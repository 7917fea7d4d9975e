import { expect, test } from 'vitest';
import { createHaproxySupervisorMetrics } from '../../../../src/haproxy/supervise/haproxy-supervisor-metrics.ts';
import { createVrrpSupervisorMetrics } from '../../../../src/keepalived/supervise/vrrp-supervisor-metrics.ts';

const vipOf = (name: string, state: 'MASTER' | 'BACKUP', address: string, present: boolean) => ({
  name,
  state,
  vips: [{ address, present }],
});

test("the node's VIP and its events are counted under a fixed set of reasons", () => {
  const metrics = createVrrpSupervisorMetrics();
  const transition = {
    event: 'vrrp-transition',
    instance: 'API',
    from: 'BACKUP',
    to: 'MASTER',
    priority: 220,
  };
  metrics.observe({ ...transition, cause: 'no-better-advert', reason: 'no advert of …' });
  metrics.observe({ event: 'stray-vip-removed', level: 'warn', instance: 'API', vip: '10.0.0.5' });
  metrics.observe({ event: 'keepalived-late', level: 'debug', lateMs: 231 });
  metrics.observe({ event: 'keepalived-hung', level: 'error', pid: 7 });
  metrics.observe({ event: 'keepalived-started', cause: 'boot' });
  metrics.observe({ event: 'keepalived-started', cause: 'died' });
  metrics.observe({ event: 'keepalived-reloaded', cause: 'request' });
  metrics.observe({ event: 'configuration-refused', cause: 'request', stage: 'check' });
  metrics.observe({ event: 'configuration-refused', cause: 'request', stage: 'prove' });
  metrics.observe({ event: 'configuration-not-applied', cause: 'request', stage: 'unchecked' });
  metrics.observe({ event: 'anything-else' });
  metrics.lag(0.2);
  const text = metrics.text([
    vipOf('API', 'MASTER', '10.0.0.5', true),
    vipOf('INGRESS', 'MASTER', '10.0.0.6', false),
    vipOf('INGRESS_V6', 'BACKUP', 'fd00::6', true),
  ]);
  for (const line of [
    'hawser_vip_holder{vrrp_instance="API",vip="10.0.0.5"} 1',
    'hawser_vip_holder{vrrp_instance="INGRESS",vip="10.0.0.6"} 0',
    'hawser_vip_holder{vrrp_instance="INGRESS_V6",vip="fd00::6"} 0',
    'hawser_vip_transitions_total{vrrp_instance="API",to="MASTER",reason="no-better-advert"} 1',
    'hawser_vip_repairs_total{kind="stray-removed"} 1',
    'hawser_keepalived_timer_delays_total 1',
    'hawser_keepalived_hangs_total 1',
    'hawser_keepalived_restarts_total 1',
    'hawser_config_rejected_total 1',
    'hawser_reloads_total{result="done"} 1',
    'hawser_reloads_total{result="rejected"} 1',
    'hawser_reloads_total{result="failed"} 2',
    'hawser_event_loop_lag_seconds_bucket{le="0.3"} 1',
    'hawser_event_loop_lag_seconds_bucket{le="0.1"} 0',
  ])
    expect(text.split('\n')).toContain(line);
});

test('every counter exists with value 0 before its first event', () => {
  const vrrp = createVrrpSupervisorMetrics().text([vipOf('API', 'BACKUP', '10.0.0.5', false)]);
  const haproxy = createHaproxySupervisorMetrics().text({
    serving: 0,
    starting: 0,
    draining: 0,
    drainingMemoryBytes: 0,
    redispatched: 0,
    longestConnectMs: 0,
  });
  for (const result of ['done', 'rejected', 'failed'])
    for (const text of [vrrp, haproxy]) expect(text).toContain(`hawser_reloads_total{result="${result}"} 0`);
  expect(vrrp).toContain('hawser_vip_repairs_total{kind="stale-removed"} 0');
  const moves = vrrp.split('\n').filter((line) => line.startsWith('hawser_vip_transitions_total{'));
  expect(moves).toContain(
    'hawser_vip_transitions_total{vrrp_instance="API",to="FAULT",reason="cannot-serve"} 0',
  );
  expect(moves.every((line) => line.includes('vrrp_instance="API"') && line.endsWith(' 0'))).toBe(true);
  expect(moves.length).toBeLessThanOrEqual(18);
});

test('a VIP that is no longer configured has no metrics', () => {
  const metrics = createVrrpSupervisorMetrics();
  metrics.text([vipOf('API', 'MASTER', '10.0.0.5', true)]);
  expect(metrics.text([])).not.toContain('10.0.0.5');
});

test("HAProxy's reloads, generations and ended connections are counted", () => {
  const metrics = createHaproxySupervisorMetrics();
  metrics.observe({ event: 'generation-serving', cause: 'boot', tookMs: 90 });
  metrics.observe({ event: 'generation-serving', cause: 'request', tookMs: 90 });
  metrics.observe({ event: 'generation-serving', cause: 'died', tookMs: 90 });
  metrics.observe({ event: 'generation-refused', cause: 'request', stage: 'check' });
  metrics.observe({ event: 'generation-refused', cause: 'retry', stage: 'start' });
  const generations = { serving: 1, starting: 0, draining: 2, drainingMemoryBytes: 2_048 };
  metrics.text({ ...generations, redispatched: 3, longestConnectMs: 0 });
  metrics.observe({ event: 'server-set-aside', level: 'warn', server: 'masters/cp-1' });
  const lines = metrics.text({ ...generations, redispatched: 5, longestConnectMs: 251 }).split('\n');
  for (const line of [
    'hawser_generations{state="serving"} 1',
    'hawser_generations{state="starting"} 0',
    'hawser_generations{state="draining"} 2',
    'hawser_draining_memory_bytes 2048',
    'hawser_reloads_total{result="done"} 1',
    'hawser_reloads_total{result="rejected"} 1',
    'hawser_reload_duration_seconds_bucket{le="0.1"} 1',
    'hawser_reload_duration_seconds_count 1',
    'hawser_config_rejected_total 1',
    'hawser_haproxy_restarts_total 1',
    'hawser_servers_set_aside_total 1',
    'hawser_connections_redispatched_total 5',
    'hawser_longest_connect_seconds 0.251',
  ])
    expect(lines).toContain(line);
});
