import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/shared-flags.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import type { SeenCluster } from '../../engine/examine/seen.ts';
import { endpointOf } from '../../engine/kube/api-server.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { haproxyMonitorStatusSchema } from '../haproxy-monitor-status.ts';
import { askStatistics, serverRowSchema } from '../server-rows.ts';
import { type ApiLbNode, hasMonitor } from './api-lb-node.ts';
import { haproxySection } from './haproxy.ts';
import { haproxyEntry } from './node-entry.ts';
import { haproxyProblems } from './problems.ts';
import { serversSection } from './servers.ts';

type Limits = Parameters<typeof askStatistics>[1];
type Statistics = Awaited<ReturnType<typeof askStatistics>>;

/** What the API load balancer says in `hawser status`. */
export const apiLbStatus = {
  home: { kind: 'node' as const },
  programs: [
    {
      ...{ name: 'haproxy-supervisor', field: 'haproxySupervisor', schema: supervisorStatusSchema },
      page: flag('<address:port>', optionalListenAddress, 'its page, or "off": its --listen', {
        ...{ default: `127.0.0.1:${defaultPorts.haproxySupervisor}`, inFile: 'never' },
      }),
    },
    {
      ...{ name: 'haproxy-monitor', field: 'haproxyMonitor', schema: haproxyMonitorStatusSchema },
      page: flag(
        '<address:port>',
        optionalListenAddress,
        'address of the HAProxy monitor\'s page, or "off" (settings: haproxy.listen)',
        { default: `127.0.0.1:${defaultPorts.haproxyMonitor}`, keyInFile: ['haproxy', 'listen'] },
      ),
    },
  ],
  others: {
    schema: { servers: z.nullable(z.array(serverRowSchema)) },
    read: async (statPort: number, limits: Limits) => await askStatistics(statPort, limits),
    fields: serverFields,
    isThere: ({ servers }: ApiLbNode) => servers !== null,
  },
  peers: serverNodes,
  problems: haproxyProblems,
  sections: ({ here }: SeenCluster<ApiLbNode>) => [
    ...(hasMonitor(here) ? [serversSection(here)] : []),
    haproxySection(here),
  ],
  columns: { HAProxy: 'haproxy' },
  entry: haproxyEntry,
};

/** HAProxy reports its servers' addresses only if the template asks for them; the monitor knows them too. */
function serverFields(statistics: Statistics, { haproxyMonitor }: ApiLbNode): Pick<ApiLbNode, 'servers'> {
  if (statistics.kind !== 'servers') return { servers: null };
  const servers = statistics.servers.map((server) => {
    const listed = haproxyMonitor?.servers?.find(({ name }) => name === server.name);
    const isKnown = server.address !== '' || listed === undefined;
    return isKnown ? server : { ...server, address: endpointOf(listed) };
  });
  return { servers };
}

/** The nodes of the API servers, which are those of the VIP's group in a cluster as it should be. */
function serverNodes({ haproxyMonitor, servers }: ApiLbNode): readonly Peer[] {
  const known = haproxyMonitor?.servers ?? servers ?? [];
  return known
    .map(({ name, address }) => ({ name, address: hostOf(address) }))
    .filter(({ address }) => address !== '');
}

/** Of `10.0.0.11:6443`, `[fd00::b]:6443` or an address alone. */
function hostOf(address: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
