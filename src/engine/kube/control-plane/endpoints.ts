import { familiesOf } from './choose-address.ts';
import { chooseServers, type ServerCandidate, type ServerChoice } from './choose-servers.ts';
import { type ClusterSettings, preferenceOf, withUnparsed } from './cluster-settings.ts';
import { parseEndpointSlice } from './server-objects.ts';
import { shareServerSource } from './server-source.ts';
import type { Source } from './source.ts';

/** The API servers as they register themselves: the ready endpoints of the `kubernetes` service, with their ports. */
export function createEndpointsSource(settings: ClusterSettings): Source {
  const resource = {
    what: 'EndpointSlices of default/kubernetes',
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    namespace: 'default',
    labelSelector: 'kubernetes.io/service-name=kubernetes',
    project: parseEndpointSlice,
  };
  return shareServerSource(settings, [resource])((findings) => {
    const candidates = findings.flatMap((finding) => finding.candidates);
    return withUnparsed(chooseOneFamily(candidates, settings), findings);
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
