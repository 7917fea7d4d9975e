import { parseEndpointSlice } from '../kube-objects.ts';
import { createListWatchSource } from '../list-watch-source.ts';
import { familiesOf } from './choose-address.ts';
import { chooseServers, type ServerCandidate, type ServerChoice } from './choose-servers.ts';
import { type ClusterSettings, preferenceOf, withUnparsed } from './cluster-settings.ts';
import type { Source } from './source.ts';

/** The API servers as they register themselves: the ready endpoints of the `kubernetes` service, with their ports. */
export function createEndpointsSource(settings: ClusterSettings): Source {
  const resource = {
    what: 'EndpointSlices of default/kubernetes',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    labelSelector: 'kubernetes.io/service-name=kubernetes',
    parse: parseEndpointSlice,
  };
  return createListWatchSource(settings, [resource], (items) => {
    const candidates = items.flatMap((item) => item.candidates);
    return withUnparsed(chooseOneFamily(candidates, settings), items);
  });
}

/**
 * Endpoints have no names that would connect the two addresses of a dual-stack server, so that each server would count
 * twice. So only one family is used: the first of the VIPs' families that has a server.
 */
function chooseOneFamily(candidates: readonly ServerCandidate[], settings: ClusterSettings): ServerChoice {
  const preference = preferenceOf(settings);
  const choices = familiesOf(settings.vips).map((family) => chooseServers(candidates, preference, [family]));
  const first = choices.find((choice) => choice.servers.length > 0);
  return first ?? chooseServers(candidates, preference);
}
