import type { LoadPlan } from '../../helpers/load/load-events.ts';
import { type Load, startLoad } from '../../helpers/load/start-load.ts';
import type { NetNamespace } from '../../helpers/net-namespace.ts';
import { ports, servers } from './layout.ts';

const PROBE_GAP_MS = 5;

export interface HostLoad {
  startLoad(plan: Pick<LoadPlan, 'ratePerSecond' | 'streams' | 'streamRampMs'>): Promise<Load>;
  /** Starts a new prober without earlier observations. */
  startProber(): Promise<Load>;
  /** Every load and prober so far, which are the harness's own processes. */
  pids(): readonly number[];
}

/** Loads inside the namespace. They end with the stack. */
export function hostLoad(namespace: NetNamespace, stack: AsyncDisposableStack): HostLoad {
  const loads: Load[] = [];
  const begin = async (plan: Partial<LoadPlan>) => {
    const load = stack.use(await startLoad(namespace.prefix, { ...noLoad, ...plan }));
    loads.push(load);
    return load;
  };
  return {
    startLoad: (plan) => begin(plan),
    startProber: () => begin({ probe: { port: ports.generation, gapMs: PROBE_GAP_MS } }),
    pids: () => loads.map(({ pid }) => pid),
  };
}

const noLoad: LoadPlan = {
  host: '127.0.0.1',
  port: ports.lb,
  ratePerSecond: 0,
  timeoutMs: 5_000,
  streams: 0,
  streamRampMs: 0,
  servers: servers.map(({ name }) => name),
  probe: null,
};
