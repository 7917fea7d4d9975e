import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/ports.ts';
import type { SeenCluster } from '../../engine/examine/seen.ts';
import { proxyStatusSchema } from '../proxy-status.ts';
import type { PodProxyNode } from './pod-proxy-node.ts';
import { podProxySection } from './pod-proxy-section.ts';
import { podProxyProblems } from './problems.ts';

/** What the pod proxy says in `hawser status`. */
export const podProxyStatus = {
  home: { kind: 'pod' as const, beside: ['haproxy-supervisor'] },
  programs: [
    {
      ...{ name: 'pod-proxy', field: 'podProxy', schema: proxyStatusSchema },
      page: flag('<address:port>', optionalListenAddress, 'the pod proxy\'s page, or "off": its --listen', {
        ...{ default: `127.0.0.1:${defaultPorts.podProxy}`, inFile: 'never' },
      }),
    },
  ],
  // Proxies do not know each other.
  peers: () => undefined,
  problems: podProxyProblems,
  sections: ({ here }: SeenCluster<PodProxyNode>) => [podProxySection(here)],
  columns: {},
  entry: () => ({ cells: [], configurations: [] }),
};
