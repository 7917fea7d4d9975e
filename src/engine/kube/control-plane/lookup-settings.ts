import { ConfigError } from '../../system/errors.ts';
import { interfaceSubnets } from '../../system/network/interface-subnets.ts';
import type { ApiServer } from '../api-server.ts';
import type { Report } from '../report.ts';
import type { SourceSettings } from './create-source.ts';
import { parseServers } from './static-servers.ts';

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
  report: Report,
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
    report,
    vips,
    subnets: interfaceSubnets,
  };
}
