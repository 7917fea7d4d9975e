import type { ApiServer } from '../engine/kube/api-server.ts';
import type { CheckedModel } from '../engine/render/checked-model.ts';
import { expectedText, isSafeText } from '../engine/render/safe-text.ts';
import type { LoadBalancerModel, LoadBalancerSettings } from './load-balancer.ts';
import { loadBalancerModel } from './load-balancer-model.ts';

/**
 * The model for these servers. Unprintable if a server is invalid: a character in its name or address that names and
 * addresses do not have, no port, or a name that another server has. No source gives such a list; if one did, the node
 * would keep its configuration. A path that cannot be printed is a problem as well.
 */
export function printableLoadBalancer(
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
): CheckedModel<LoadBalancerModel> {
  const problem = [
    settingsProblem(settings),
    ...servers.map((server) => serverProblem(server, servers)),
  ].find((found) => found !== undefined);
  if (problem !== undefined) return { kind: 'unprintable', problem };
  return { kind: 'printable', model: loadBalancerModel(settings, servers) };
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
    return `invalid address ${JSON.stringify(address)} of server "${name}", expected IPv4 or IPv6`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return `invalid port "${port}" of server "${name}", expected 1 to 65535`;
  if (servers.some((other) => other !== server && other.name === name))
    return `the server name "${name}" is there twice, expected each once`;
  return undefined;
}
