import type { ApiServer } from '../engine/kube/control-plane/api-server.ts';
import type { SourceSettings } from '../engine/kube/control-plane/create-source.ts';
import { parseServers } from '../engine/kube/control-plane/static-servers.ts';
import type { Log } from '../engine/observe/logger.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { interfaceSubnets } from '../engine/system/network/interface-subnets.ts';

/** The settings of both monitors about their source. */
export interface LookupSettings {
  readonly source: 'nodes' | 'endpoints' | 'static' | 'all-nodes';
  readonly servers?: string | undefined;
  readonly kubeconfig: string;
  readonly apiPort: number;
  readonly checkInterval: number;
  readonly vips: readonly string[];
}

/** The source that the settings choose. Throws a ConfigError where `--servers` does not fit `--source`. */
export function sourceSettings(
  settings: LookupSettings,
  lastKnown: readonly ApiServer[],
  log: Log,
): SourceSettings {
  const { source, servers, apiPort, vips } = settings;
  if (source === 'static') {
    if (servers === undefined)
      throw new ConfigError(['Cannot do without --servers: --source is static, expected HOST=IP[:PORT],…']);
    return { kind: 'static', servers: parseServers(servers, apiPort) };
  }
  return {
    kind: source,
    kubeconfigPath: settings.kubeconfig,
    apiPort,
    checkIntervalMs: settings.checkInterval,
    lastKnown,
    report: log,
    vips,
    subnets: interfaceSubnets,
  };
}
