import * as z from 'zod/mini';
import type { Resource } from '../resource.ts';
import { type AddressPreference, familiesOf } from './choose-address.ts';
import {
  chooseServers,
  type ServerCandidate,
  type ServerChoice,
  type SkippedServer,
} from './choose-servers.ts';
import { safeServerName } from './server-name.ts';

/** API server information from one object. */
export interface ServerFinding {
  readonly candidates: readonly ServerCandidate[];
  readonly skipped: readonly SkippedServer[];
  /** False for a node of another role, which may hold an ingress VIP. */
  readonly isApiServer: boolean;
}

/** The API objects that name servers, and how a list is chosen from their candidates. */
export interface ServerKind {
  readonly resources: readonly Resource<ServerFinding>[];
  readonly choose: (candidates: readonly ServerCandidate[], preference: AddressPreference) => ServerChoice;
}

const ROLES = ['control-plane', 'master'].map((role) => ({ role, label: `node-role.kubernetes.io/${role}` }));

/**
 * The control-plane nodes of the cluster. A label selector cannot express "this key or that key", so both labels are listed and watched separately,
 * then merged. An unfiltered request would return every node with its images: 75 MB for 5,000 nodes, to find three.
 */
export function controlPlaneNodes(apiPort: number): ServerKind {
  const resources = ROLES.map(({ role, label }) => ({
    ...nodes(apiPort),
    what: `${role} nodes`,
    labelSelector: label,
  }));
  return { resources, choose: chooseServers };
}

/** Every node of the cluster. Any of them may hold an ingress VIP. */
export function allNodes(apiPort: number): ServerKind {
  return { resources: [nodes(apiPort)], choose: chooseServers };
}

function nodes(apiPort: number): Resource<ServerFinding> {
  return { what: 'nodes', apiVersion: 'v1', plural: 'nodes', project: parseNode(apiPort) };
}

/** The API servers as they register themselves: the ready endpoints of the `kubernetes` service, with their ports. */
export const endpoints: ServerKind = {
  resources: [
    {
      what: 'EndpointSlices of default/kubernetes',
      apiVersion: 'discovery.k8s.io/v1',
      plural: 'endpointslices',
      namespace: 'default',
      labelSelector: 'kubernetes.io/service-name=kubernetes',
      project: parseEndpointSlice,
    },
  ],
  choose: chooseOneFamily,
};

/**
 * Uses only one family: the first of the VIPs' families that has a server. Endpoints have no names that would connect the two addresses of a
 * dual-stack server, so with both families each server would count twice.
 */
function chooseOneFamily(
  candidates: readonly ServerCandidate[],
  preference: AddressPreference,
): ServerChoice {
  const choices = familiesOf(preference.vips).map((family) =>
    chooseServers(candidates, preference, [family]),
  );
  return choices.find(({ servers }) => servers.length > 0) ?? chooseServers(candidates, preference);
}

const namedObject = z.object({ metadata: z.object({ name: z.string() }) });
/** Annotation of a Node. The value `drain` takes the node's API server out of rotation. */
export const DRAIN_ANNOTATION = 'hawser.dev/api-server';
const annotated = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.unknown()) }) });
const labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.unknown()) }) });

const node = z.object({
  status: z.object({
    addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))),
  }),
});

/**
 * Returns a function that reads the InternalIPs of a Node (core/v1), with the port of the API servers. A node whose drain annotation has a value
 * other than `drain` is used, and the value is reported.
 */
export function parseNode(apiPort: number): (item: unknown) => ServerFinding {
  return (item) => {
    const annotation = annotated.safeParse(item).data?.metadata.annotations[DRAIN_ANNOTATION];
    const drained = annotation === 'drain' && ({ drained: true } as const);
    const finding = parseNamed(item, (name) => {
      const parsed = node.safeParse(item);
      if (!parsed.success) return 'it has no readable status.addresses';
      const internal = (parsed.data.status.addresses ?? []).filter((entry) => entry.type === 'InternalIP');
      return [{ name, addresses: internal.map((entry) => entry.address), port: apiPort, ...drained }];
    });
    const labels = labelled.safeParse(item).data?.metadata.labels ?? {};
    const ignored = annotation === undefined || drained ? [] : ignoredAnnotation(finding, annotation);
    return {
      ...finding,
      skipped: [...finding.skipped, ...ignored],
      isApiServer: ROLES.some(({ label }) => label in labels),
    };
  };
}

/** A node may write its own annotations, and the value is logged. */
const MOST_SHOWN = 40;

function ignoredAnnotation({ candidates }: ServerFinding, value: unknown): readonly SkippedServer[] {
  const reason = `ignored annotation ${DRAIN_ANNOTATION}=${JSON.stringify(value).slice(0, MOST_SHOWN)}: expected "drain"`;
  return candidates.map(({ name }) => ({ name: safeServerName(name) ?? '(empty)', reason }));
}

const endpoint = z.object({
  addresses: z.array(z.string()),
  nodeName: z.nullish(z.string()),
  conditions: z.nullish(z.object({ ready: z.nullish(z.boolean()) })),
});
const endpointSlice = z.object({
  endpoints: z.nullish(z.array(endpoint)),
  ports: z.nullish(
    z.array(
      z.object({ name: z.nullish(z.string()), port: z.nullish(z.number()), protocol: z.nullish(z.string()) }),
    ),
  ),
});

/**
 * The ready endpoints of an EndpointSlice (discovery.k8s.io/v1) with its `https` port. Unknown readiness counts as ready, as the API's documentation
 * requires. API servers have no node name there, so their address is their name.
 */
export function parseEndpointSlice(item: unknown): ServerFinding {
  return parseNamed(item, () => {
    const parsed = endpointSlice.safeParse(item);
    if (!parsed.success) return 'it has no readable endpoints';
    const ports = (parsed.data.ports ?? []).filter((entry) => (entry.protocol ?? 'TCP') === 'TCP');
    const port = (
      ports.find((entry) => entry.name === 'https') ?? (ports.length === 1 ? ports[0] : undefined)
    )?.port;
    if (port === undefined || port === null) return 'it has no port named "https"';
    return (parsed.data.endpoints ?? [])
      .filter((entry) => entry.conditions?.ready !== false && entry.addresses.length > 0)
      .map((entry) => ({
        name: entry.nodeName ?? entry.addresses[0] ?? '',
        addresses: entry.addresses,
        port,
      }));
  });
}

/** An object that cannot be parsed is skipped with a reason, and does not affect the others. */
function parseNamed(
  item: unknown,
  candidatesOf: (name: string) => readonly ServerCandidate[] | string,
): ServerFinding {
  const parsed = namedObject.safeParse(item);
  if (!parsed.success) return skip('(unnamed)', 'it has no readable metadata.name');
  const { name } = parsed.data.metadata;
  const candidates = candidatesOf(name);
  return typeof candidates === 'string'
    ? skip(name, candidates)
    : { candidates, skipped: [], isApiServer: true };
}

function skip(name: string, reason: string): ServerFinding {
  return { candidates: [], skipped: [{ name, reason }], isApiServer: false };
}
