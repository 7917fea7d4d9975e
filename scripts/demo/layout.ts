import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The addresses in the demo's own network namespace. */
export const network = {
  vip: '10.77.0.100',
  apiPort: 6443,
  lbPort: 9445,
} as const;

/** API servers by name. The first three exist from the start; the fourth joins and leaves. */
export const serverAddresses = {
  'cp-1': '10.77.0.11',
  'cp-2': '10.77.0.12',
  'cp-3': '10.77.0.13',
  'cp-4': '10.77.0.14',
} as const;

export type ServerName = keyof typeof serverAddresses;
export const firstServers: readonly ServerName[] = ['cp-1', 'cp-2', 'cp-3'];

export interface DemoPaths {
  readonly dir: string;
  readonly template: string;
  readonly config: string;
  readonly kubeconfig: string;
  /** The state file that all API servers read. */
  readonly clusterState: string;
  readonly controlSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly stateFile: string;
  readonly journalDir: string;
  /** Every line of every program, for troubleshooting. */
  readonly log: string;
}

export function demoPaths(dir: string): DemoPaths {
  return {
    dir,
    template: join(dir, 'haproxy.cfg.ejs'),
    config: join(dir, 'haproxy.cfg'),
    kubeconfig: join(dir, 'kubeconfig'),
    clusterState: join(dir, 'cluster.json'),
    controlSocket: join(dir, 'master.sock'),
    statsSocket: join(dir, 'haproxy.sock'),
    pidFile: join(dir, 'haproxy.pid'),
    stateFile: join(dir, 'server-state'),
    journalDir: join(dir, 'journal'),
    log: join(dir, 'demo.log'),
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The demo's files: the built program, the shipped template, the fake API server, the client. */
export const programs = {
  hawser: join(root, 'bin/hawser'),
  template: join(root, 'templates/haproxy.cfg.ejs'),
  apiServer: join(root, 'test/helpers/api-server/main.ts'),
  load: join(root, 'scripts/demo/load.ts'),
} as const;
