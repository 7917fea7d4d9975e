import { createMetricsRegistry } from '../../engine/observe/metrics-registry.ts';
import { type SupervisorMetrics, supervisorCounts } from '../../engine/observe/shared-metrics.ts';
import type { LogEvent } from '../../engine/system/log.ts';
import { vipRepairCounter } from '../vip-repair-counter.ts';
import type { VrrpStatus } from './vrrp-status.ts';
import { transitionCauses } from './why.ts';

type Instance = Pick<VrrpStatus['instances'][number], 'name' | 'state' | 'vips'>;

/** Every pair of a state and a possible cause, for the labels of the transition counter. */
const moves = Object.entries(transitionCauses).flatMap(([to, causes]) =>
  causes.map((reason) => [to, reason] as const),
);

/** The label is `vrrp_instance`: Prometheus puts the scraped target into `instance`. */
export function createVrrpSupervisorMetrics(): SupervisorMetrics<readonly Instance[]> {
  const registry = createMetricsRegistry();
  const { counter, gauge, text } = registry;
  const holder = gauge('hawser_vip_holder', '1 where this node is MASTER and its interface has the VIP.');
  const transitions = counter(
    'hawser_vip_transitions_total',
    'VRRP transitions, by the new state and why.',
    // The instances are not known before there is a configuration.
    [],
  );
  const repair = vipRepairCounter(registry, ['restored', 'stray-removed', 'stale-removed']);
  const { accepted, refused, internalError, lag } = supervisorCounts(registry);
  const restart = counter('hawser_keepalived_restarts_total', 'Starts of keepalived after a death.');
  const hang = counter('hawser_keepalived_hangs_total', 'Times that keepalived hung and was replaced.');
  const late = counter('hawser_keepalived_timer_delays_total', 'Late timers that keepalived reported.');
  const rival = counter('hawser_second_holder_heard_total', 'Adverts received from a second holder.');
  const counts: Readonly<Record<string, (event: LogEvent) => void>> = {
    'vrrp-transition': ({ instance, to, cause }) =>
      transitions({ vrrp_instance: String(instance), to: String(to), reason: String(cause) }),
    'vip-restored': () => repair('restored'),
    'stray-vip-removed': () => repair('stray-removed'),
    'stale-vip-removed': () => repair('stale-removed'),
    'keepalived-started': ({ cause }) => cause === 'died' && restart(),
    'keepalived-reloaded': accepted,
    'configuration-refused': refused,
    'configuration-not-applied': refused,
    'keepalived-hung': () => hang(),
    'keepalived-late': () => late(),
    'lower-priority-advert-received': () => rival(),
    'internal-error': internalError,
  };
  return {
    observe: (event) => counts[event.event]?.(event),
    lateTimerEvent: 'keepalived-late',
    lag,
    text: (instances) => {
      holder.clear();
      for (const { name, state, vips } of instances) {
        for (const { address, present } of vips)
          holder.set(Number(state === 'MASTER' && present), { vrrp_instance: name, vip: address });
        for (const [to, reason] of moves) transitions({ vrrp_instance: name, to, reason }, 0);
      }
      return text();
    },
  };
}
