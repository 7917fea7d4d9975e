import * as z from 'zod/mini';

/** The parts of an EndpointSlice that the proxy uses. */
export interface SliceFacts {
  readonly service: string;
  readonly endpoints: readonly SliceEndpoint[];
}

interface SliceEndpoint {
  /** The pod's name, or the address if there is no pod. */
  readonly name: string;
  readonly addresses: readonly string[];
  readonly isReady: boolean;
}

const slice = z.object({
  metadata: z.object({ labels: z.object({ 'kubernetes.io/service-name': z.string() }) }),
  addressType: z.enum(['IPv4', 'IPv6']),
  endpoints: z.nullish(
    z.array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.nullish(z.object({ ready: z.nullish(z.boolean()) })),
        targetRef: z.nullish(z.object({ name: z.optional(z.string()) })),
      }),
    ),
  ),
});

/** Reads an EndpointSlice of discovery.k8s.io/v1; undefined for any other object. Unknown readiness counts as ready, as the API's
 * documentation requires. */
export function readSlice(object: unknown): SliceFacts | undefined {
  const { data } = slice.safeParse(object);
  if (data === undefined) return undefined;
  return {
    service: data.metadata.labels['kubernetes.io/service-name'],
    endpoints: (data.endpoints ?? []).map(({ addresses, conditions, targetRef }) => ({
      name: targetRef?.name ?? addresses[0] ?? '',
      addresses,
      isReady: conditions?.ready !== false,
    })),
  };
}
