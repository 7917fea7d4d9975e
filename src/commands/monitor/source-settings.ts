import type { ApiServer } from '../../model/api-server.ts';
import { ConfigError } from '../../model/errors.ts';
import type { Log } from '../../observe/logger.ts';
import type { SourceSettings } from '../../sources/create-source.ts';
import { parseServers } from '../../sources/static-servers.ts';
import { interfaceSubnets } from '../../system/interface-subnets.ts';

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
