import * as z from 'zod/mini';
import type { Pod } from '../cli/pod.ts';
import { currentInterfaces, currentRoutes } from '../engine/system/network/routes.ts';
import {
  KEEPALIVED_SOCKET,
  keepalivedSuperviseCommand,
} from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { vipProblems } from './group/vip-interface.ts';
import { keepalivedMonitorCommand } from './settings/keepalived-monitor-settings.ts';

/** The static pod of the VIPs. */
export const keepalivedPod: Pod = {
  name: 'keepalived',
  program: 'keepalived',
  template: 'keepalived.conf.ejs',
  folder: '/etc/hawser-keepalived',
  daemons: [keepalivedSuperviseCommand, keepalivedMonitorCommand],
  onWorkers: false,
  supervisor: {
    spec: keepalivedSuperviseCommand,
    answer: z.object({ ok: z.boolean(), phase: z.string(), instances: z.array(z.unknown()) }),
    socket: KEEPALIVED_SOCKET,
    status: ['keepalived', 'status', '--json'],
    alive: ['keepalived', 'status', '--alive'],
  },
  state: /^(?:vrrp-nodes\.json\.(?:api|ingress)\.ipv[46]|vrrp-steering\.json)$/,
  needs: (settingsOf) => {
    const monitor = settingsOf(keepalivedMonitorCommand);
    const { vips, apiVips, apiPort, healthPort, listen, metricsListen } = monitor;
    return {
      ports: [
        { key: 'keepalived.listen', port: listen.port },
        ...(metricsListen === undefined
          ? []
          : [{ key: 'keepalived.metricsListen', port: metricsListen.port }]),
      ],
      probes: { 'keepalived-monitor': listen },
      vips: {
        all: vips,
        api: apiVips,
        apiPort,
        healthPort,
        problemsOf: async (vip, isOurs) => {
          const interfaces = currentInterfaces();
          const routes = await currentRoutes();
          return vipProblems(vip, { interfaces, routes, interface: monitor.interface, isOurs });
        },
      },
    };
  },
};
