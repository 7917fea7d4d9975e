import type { ApiServer } from '../engine/kube/control-plane/api-server.ts';
import { type RenderOutcome, renderTemplate } from '../engine/render/render-template.ts';
import { expectedText, isSafeText } from '../engine/render/safe-text.ts';
import type { LoadBalancerSettings } from './load-balancer.ts';
import { loadBalancerModel } from './load-balancer-model.ts';

/**
 * HAProxy's configuration file for these servers. The order of the servers does not change a byte. Fails without output
 * if a server is invalid: a character in its name or address that names and addresses do not have, no port, or a name
 * that another server has. `sources` never gives such a list; if it did, the node would keep its configuration. A path
 * that cannot be printed fails as well.
 */
export function renderLoadBalancer(
  templateText: string,
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
  options: { readonly templatePath: string },
): RenderOutcome {
  const problem = [
    settingsProblem(settings),
    ...servers.map((server) => serverProblem(server, servers)),
  ].find((found) => found !== undefined);
  if (problem !== undefined)
    return { kind: 'failed', message: `Cannot render template "${options.templatePath}": ${problem}` };
  return renderTemplate(templateText, loadBalancerModel(settings, servers), options);
}

const nameForm = /^[A-Za-z0-9._:-]+$/;
const addressForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;

function settingsProblem(settings: LoadBalancerSettings): string | undefined {
  const path = [settings.statsSocket, settings.stateFile].find((each) => !isSafeText(each));
  return path === undefined
    ? undefined
    : `the path ${JSON.stringify(path)} is not printable, ${expectedText}`;
}

function serverProblem(server: ApiServer, servers: readonly ApiServer[]): string | undefined {
  const { name, address, port } = server;
  if (!nameForm.test(name))
    return `the server name ${JSON.stringify(name)} is not printable, expected only A-Z a-z 0-9 . _ : -`;
  if (!addressForm.test(address))
    return `the address ${JSON.stringify(address)} of server "${name}" is none, expected IPv4 or IPv6`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return `the port "${port}" of server "${name}" is none, expected 1 to 65535`;
  if (servers.some((other) => other !== server && other.name === name))
    return `the server name "${name}" is there twice, expected each once`;
  return undefined;
}
