import type { Selector } from '../../engine/kube/label-selector.ts';
import { forbiddenIn } from '../../engine/kube/rbac-hint.ts';
import type { Resource } from '../../engine/kube/resource.ts';
import { readEndpointSlice, readEndpoints } from './endpoints.ts';
import { readIngress } from './ingress.ts';
import { readNamespace } from './namespace.ts';
import { projecting, type Reading } from './reading.ts';
import { readRoute } from './route.ts';
import { readSecret } from './secret.ts';
import { readService } from './service.ts';

/** Selects the objects that the router lists. */
interface ResourceSettings {
  readonly namespace?: string | undefined;
  readonly routeLabels?: Selector | undefined;
  readonly watchEndpoints: boolean;
  /** Ingresses are read only if this is set. */
  readonly ingressClass?: string | undefined;
}

/** Called for each object that cannot be read and is left out. */
export type Unreadable = (what: string, object: unknown, problems: readonly string[]) => void;

/** Secrets of these types hold no certificates, and may be many or large: helm stores whole charts in them. */
const OTHER_SECRETS = [
  'helm.sh/release.v1',
  'kubernetes.io/service-account-token',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
];

/** Routes may name only Secrets of type kubernetes.io/tls. An Ingress may name a CA in a Secret of any type. */
function secretsOf({ ingressClass }: ResourceSettings): string {
  if (ingressClass === undefined) return 'type=kubernetes.io/tls';
  return OTHER_SECRETS.map((type) => `type!=${type}`).join(',');
}

/** Every kind that the router lists, and the fields that it keeps. */
export function routerResources(settings: ResourceSettings, unreadable: Unreadable) {
  const place = settings.namespace === undefined ? {} : { namespace: settings.namespace };
  const labels = settings.routeLabels === undefined ? {} : { labelSelector: settings.routeLabels.text };
  const resource = <T>(
    what: string,
    apiVersion: string,
    plural: string,
    read: (object: unknown) => Reading<T>,
    where: { readonly namespace?: string } = place,
  ): Resource<T> => ({
    what,
    apiVersion,
    plural,
    ...where,
    // The watch reports every deletion, including those of a whole namespace.
    doubtsLoss: true,
    project: projecting(read, (object, problems) => unreadable(what, object, problems)),
  });
  return {
    routes: {
      ...resource('Routes', 'route.openshift.io/v1', 'routes', readRoute),
      ...labels,
      mayBeAbsent: true,
    },
    ingresses: { ...resource('Ingresses', 'networking.k8s.io/v1', 'ingresses', readIngress), ...labels },
    endpoints: settings.watchEndpoints
      ? resource('Endpoints', 'v1', 'endpoints', readEndpoints)
      : resource('EndpointSlices', 'discovery.k8s.io/v1', 'endpointslices', readEndpointSlice),
    services: resource('Services', 'v1', 'services', readService),
    namespaces: resource('Namespaces', 'v1', 'namespaces', readNamespace, {}),
    secrets: {
      ...resource('Secrets', 'v1', 'secrets', readSecret),
      fieldSelector: secretsOf(settings),
    },
  } as const;
}

/** Suggests a fix if the API forbids listing a kind; undefined if the message is not a 403. */
export function routerRemedy(message: string): string | undefined {
  const forbidden = forbiddenIn(message);
  if (forbidden === undefined) return undefined;
  const { user, resource } = forbidden;
  const without = resource === 'secrets' ? ', or --secrets false if no route names a Secret' : '';
  return `expected a role that allows "${user}" to list and watch ${resource}, such as the one in manifests/router/rbac.yaml${without}`;
}
