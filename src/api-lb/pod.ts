import * as z from 'zod/mini';
import type { Pod } from '../cli/pod.ts';
import { WORKER_ADDRESS } from '../cli/shared-flags.ts';
import { HAPROXY_SOCKET } from '../haproxy/supervise/haproxy-flags.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { haproxyMonitorCommand, ownPorts } from './haproxy-monitor-settings.ts';

/** Added to the drain timeout for the kubelet's grace period: 5 s from SIGTERM to SIGKILL, and 5 s for a clean exit. */
const GRACE_BEYOND_DRAIN_S = 10;

/** The static pod of the API load balancer. */
export const haproxyPod: Pod = {
  name: 'haproxy',
  program: 'haproxy',
  template: 'haproxy.cfg.ejs',
  daemons: [haproxySuperviseCommand, haproxyMonitorCommand],
  onWorkers: true,
  supervisor: {
    spec: haproxySuperviseCommand,
    answer: z.object({ ok: z.boolean(), phase: z.string(), draining: z.array(z.unknown()) }),
    socket: HAPROXY_SOCKET,
    status: ['haproxy', 'status', '--json'],
  },
  // HAProxy does not run as root and must read its configuration in this folder.
  folderMode: 0o755,
  state: /^api-servers\.json$/,
  needs: (settingsOf) => {
    const settings = settingsOf(haproxyMonitorCommand);
    const { worker } = settings;
    const { drainTimeout } = settingsOf(haproxySuperviseCommand);
    return {
      ports: ownPorts(settings),
      probes: {
        haproxy: { port: settings.healthPort, ...(worker && { host: WORKER_ADDRESS }) },
        'haproxy-monitor': settings.listen,
      },
      // Without a VIP there is no redirect.
      unprivileged: worker ? ['haproxy-monitor'] : [],
      graceSeconds: Math.ceil(drainTimeout / 1_000) + GRACE_BEYOND_DRAIN_S,
    };
  },
};
