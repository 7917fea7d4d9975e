import { flag } from '../../cli/command-spec.ts';
import { absolutePath } from '../../cli/fields.ts';
import { healthPort, lbPort, statPort } from '../../cli/shared-flags.ts';
import { haproxyFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { extraPorts } from '../extra-ports/extra-ports.ts';

/** This product's settings for `hawser doctor`. */
export const doctorFlags = {
  lbPort,
  statPort: { ...statPort, keyInFile: ['haproxy', 'statPort'] as const },
  healthPort: { ...healthPort, help: '/haproxy_ready and /haproxy_monitor' },
  extraPorts: { ...extraPorts, keyInFile: ['haproxy', 'extraPorts'] as const },
  haproxyConfig: flag('<path>', absolutePath, "HAProxy's configuration file", {
    default: '/etc/haproxy/haproxy.cfg',
    inFile: 'never',
  }),
  haproxySocket: haproxyFlags.socket,
  haproxy: { ...haproxyFlags.haproxy, keyInFile: ['haproxy', 'haproxy'] as const },
};
