import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLogged } from './child.ts';
import type { Cluster } from './cluster.ts';
import { hawser } from './supervisor-build.ts';
import {
  type LogLine,
  readLogEvents,
  type SupervisorProcess,
  startSupervisor,
} from './supervisor-process.ts';
import { waitFor } from './wait-for.ts';

const templateSource = fileURLToPath(new URL('../../templates/haproxy.cfg.ejs', import.meta.url));

/** One node's load balancer: a real monitor and a real supervisor, with their own files in the cluster's folder. */
export interface LoadBalancer {
  readonly template: string;
  readonly config: string;
  /** Resolves once it answers. By then it has looked for its file, so whatever a monitor writes later is a reload. */
  readonly startSupervisor: () => Promise<SupervisorProcess>;
  readonly startMonitor: (...flags: readonly string[]) => ChildProcess;
  readonly monitorEvents: () => readonly LogLine[];
  /** Resolves once the monitor has logged this event, ignoring the first `skip`. */
  readonly monitorSaid: (event: string, skip?: number) => Promise<LogLine>;
  readonly configText: () => string;
  /** Resolves once haproxy.cfg names exactly these servers. */
  readonly configured: (...names: readonly string[]) => Promise<void>;
}

export function createLoadBalancer(cluster: Cluster, kubeconfig: string): LoadBalancer {
  const at = (name: string): string => join(cluster.dir, name);
  for (const name of ['config', 'conf', 'run']) mkdirSync(at(name), { recursive: true });
  const template = at('config/haproxy.cfg.tmpl');
  cpSync(templateSource, template);
  const config = at('conf/haproxy.cfg');
  const socket = at('run/master.sock');
  const shared = [
    '--socket',
    socket,
    '--stats-socket',
    at('run/haproxy.sock'),
    '--state-file',
    at('run/server-state'),
  ];
  const monitorLog = at('monitor.log');
  const monitorEvents = (): readonly LogLine[] => readLogEvents(monitorLog);
  const configText = (): string => (existsSync(config) ? readFileSync(config, 'utf8') : '');
  return {
    template,
    config,
    startSupervisor: async () => {
      const supervisor = startSupervisor(
        cluster.namespace.prefix,
        [
          ...shared,
          '--config',
          config,
          '--pid-file',
          at('run/haproxy.pid'),
          '--force-delete-timeout',
          '2s',
          '--drain-timeout',
          '1s',
        ],
        { socket, logPath: at('supervisor.log') },
      );
      await waitFor('the supervisor to answer', async () => (await supervisor.status()).ok);
      return supervisor;
    },
    startMonitor: (...flags) => {
      const command = [hawser, 'haproxy', 'monitor', kubeconfig, template, config, ...shared, ...flags];
      return startLogged([...cluster.namespace.prefix, ...command], monitorLog);
    },
    monitorEvents,
    monitorSaid: (event, skip = 0) =>
      waitFor(
        `the monitor to say "${event}"`,
        () => monitorEvents().filter((line) => line.event === event)[skip],
      ),
    configText,
    configured: async (...names) => {
      const wanted = names.join();
      await waitFor(`haproxy.cfg to name ${wanted}`, () => serverNames(configText()).join() === wanted);
    },
  };
}

/** Each name once: servers for clients are named a second time where they are checked. Spare servers are left out. */
export function serverNames(config: string): readonly string[] {
  const lines = [...config.matchAll(/^\s*server (\S+) (?!.* disabled$)/gm)];
  return [...new Set(lines.flatMap(([, name]) => name ?? []))];
}
