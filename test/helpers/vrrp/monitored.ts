import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hawser } from '../supervisor-build.ts';
import { type LogLine, readLogEvents } from '../supervisor-process.ts';
import { waitFor } from '../wait-for.ts';
import type { BedNode } from './bed-node.ts';
import type { BedProcess } from './bed-process.ts';
import { templateWithAdverts } from './rare-adverts.ts';
import type { VrrpBed } from './vrrp-bed.ts';

/** keepalived with its supervisor and its monitor on one node, and a stub HAProxy that reports itself healthy. */
export interface Monitored {
  readonly node: BedNode;
  readonly monitor: () => BedProcess;
  /** Of the monitor. */
  readonly events: (name: string) => readonly LogLine[];
  readonly waitForEvent: (name: string) => Promise<LogLine>;
  /** One sample of the monitor's page; undefined if it is missing. */
  readonly metric: (sample: string) => Promise<number | undefined>;
  readonly startMonitor: () => void;
}

/** The nodes find each other by a static list: no API server runs. */
export function startMonitored(
  bed: VrrpBed,
  node: BedNode,
  members: readonly BedNode[],
  flags: readonly string[] = [],
  /** The monitor's PATH. */
  path = PATH,
  /** Goes in front of the supervisor, and executes it. */
  prefix: readonly string[] = [],
  advertIntervalMs = 500,
): Monitored {
  prepare(node, advertIntervalMs);
  const paths = ['--socket', join(node.runDir, 'keepalived.sock'), '--run-dir', node.runDir];
  const config = node.at('keepalived.conf');
  node.start('haproxy', ['/usr/sbin/haproxy', '-W', '-db', '-f', node.at('haproxy.cfg')]);
  node.start('keepalived', [...prefix, hawser, 'keepalived', 'supervise', '--config', config, ...paths]);
  const servers = members.map(({ name, address }) => `${name}=${address}`).join(',');
  let monitor: BedProcess;
  const startMonitor = () => {
    monitor = node.start('keepalived-monitor', [
      ...['env', `PATH=${path}`, hawser, 'keepalived', 'monitor'],
      ...[node.at('kubeconfig'), node.at('keepalived.conf.ejs'), config],
      ...[...paths, '--source', 'static', '--servers', servers, '--api-vips', bed.vip],
      ...['--cluster-name', 'bed', '--node-name', node.name, '--virtual-router-ids', '77,78'],
      ...['--check-interval', '1s', ...flags],
    ]);
  };
  startMonitor();
  const events = (name: string) =>
    readLogEvents(node.at('keepalived-monitor.log')).filter(({ event }) => event === name);
  return {
    node,
    monitor: () => monitor,
    startMonitor,
    events,
    waitForEvent: (name) => waitFor(`${name} of ${node.name}`, () => events(name).at(-1), 30_000),
    metric: async (sample) => {
      const page = await node.namespace.run('curl', '-s', 'http://127.0.0.1:29447/metrics');
      const line = page.split('\n').find((each) => each.startsWith(`${sample} `));
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    },
  };
}

const { PATH = '' } = process.env;

function prepare(node: BedNode, advertIntervalMs: number): void {
  mkdirSync(node.runDir, { recursive: true });
  writeFileSync(node.at('keepalived.conf.ejs'), templateWithAdverts(advertIntervalMs));
  writeFileSync(node.at('kubeconfig'), '');
  writeFileSync(
    node.at('haproxy.cfg'),
    `defaults
    mode http
    timeout client 60s
    timeout connect 1s
    timeout server 60s
frontend health
    bind :::9444 v4v6
    http-request return status 200
`,
  );
}
