import * as z from 'zod/mini';
import type { ServerCandidate, SkippedServer } from './choose-servers.ts';

/** What one object of the API says about API servers. */
export interface ServerFinding {
  readonly candidates: readonly ServerCandidate[];
  readonly skipped: readonly SkippedServer[];
}

const namedObject = z.object({ metadata: z.object({ name: z.string() }) });

const node = z.object({
  status: z.object({
    addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))),
  }),
});

/** Every InternalIP of a Node (core/v1), with the port of the API servers. */
export function parseNode(apiPort: number): (item: unknown) => ServerFinding {
  return (item) =>
    parseNamed(item, (name) => {
      const parsed = node.safeParse(item);
      if (!parsed.success) return 'it has no readable status.addresses';
      const internal = (parsed.data.status.addresses ?? []).filter((entry) => entry.type === 'InternalIP');
      return [{ name, addresses: internal.map((entry) => entry.address), port: apiPort }];
    });
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
 * The ready endpoints of an EndpointSlice (discovery.k8s.io/v1) with its `https` port; an unknown readiness counts as
 * ready, as the API's documentation asks. API servers have no node name there: their address is their name.
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

/** An object that cannot be parsed is skipped with a reason; the others are not affected. */
function parseNamed(
  item: unknown,
  candidatesOf: (name: string) => readonly ServerCandidate[] | string,
): ServerFinding {
  const parsed = namedObject.safeParse(item);
  if (!parsed.success) return skip('(unnamed)', 'it has no readable metadata.name');
  const { name } = parsed.data.metadata;
  const candidates = candidatesOf(name);
  return typeof candidates === 'string' ? skip(name, candidates) : { candidates, skipped: [] };
}

function skip(name: string, reason: string): ServerFinding {
  return { candidates: [], skipped: [{ name, reason }] };
}
