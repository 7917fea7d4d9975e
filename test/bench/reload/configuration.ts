import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';
import { type HostPaths, ports, servers } from './layout.ts';

/**
 * `plain` has the retry policy that the shell pods shipped with: three attempts, all at the same server. Only the health that a new
 * generation starts with then keeps clients away from a dead server. Like theirs, it does not configure HAProxy's own HTTP client.
 */
export type ConfigurationKind = 'template' | 'plain';

const templatePath = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));

/** HAProxy's answer on the generation port with this version of the file. */
export function generationText(generation: number): string {
  return `gen-${generation}`;
}

/** The project's own template, plus a listener that reports which version of the file is served. */
export function configurationTexts(
  kind: ConfigurationKind,
  paths: HostPaths,
): (generation: number) => string {
  const settings = {
    lbPort: ports.lb,
    statPort: ports.stat,
    healthPort: ports.health,
    apiPort: 6443,
    hasIpv6: true,
    worker: false,
    extraPorts: [],
    logConnections: false,
    statsSocket: paths.statsSocket,
    stateFile: paths.stateFile,
  };
  const list = servers.map(({ name, host, port }) => ({ name, address: host, port }));
  const outcome = renderLoadBalancer(readFileSync(templatePath, 'utf8'), settings, list, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  const text = kind === 'plain' ? asShipped(outcome.text) : outcome.text;
  return (generation) => `${text}
listen bench_generation
  mode http
  bind 127.0.0.1:${ports.generation}
  timeout client 5s
  http-request return status 200 content-type text/plain string "${generationText(generation)}"
`;
}

function asShipped(text: string): string {
  const plain = text
    .replace(/^ *(?:option redispatch|httpclient\.).*\n/gm, '')
    .replace(/^( *)retries .*$/m, '$1retries 3');
  if (!plain.includes('retries 3') || /option redispatch|httpclient\./.test(plain))
    throw new Error(
      'Cannot make the plain configuration: the template has other retries, redispatch or HTTP client',
    );
  return plain;
}
