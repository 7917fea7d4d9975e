import type { WantedPort } from '../../engine/examine/wanted-port.ts';
import type { ApiLbContext } from './context.ts';

/** Those of HAProxy. */
export function ports(settings: ApiLbContext['settings']): readonly WantedPort[] {
  const isOurs: WantedPort['isOurs'] = ({ name }) => name === 'haproxy';
  return [
    { port: settings.lbPort, what: 'load balancer', flag: '--lb-port', scope: 'all', isOurs },
    { port: settings.healthPort, what: 'health page', flag: '--health-port', scope: 'all', isOurs },
    { port: settings.statPort, what: 'statistics', flag: '--stat-port', scope: 'loopback', isOurs },
  ];
}
