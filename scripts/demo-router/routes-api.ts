import * as z from 'zod/mini';
import type { StoredObject } from '../../test/helpers/api-server/object-store.ts';
import type { NetNamespace } from '../../test/helpers/net-namespace.ts';
import { writeObjects } from '../demo/cluster.ts';

/** A Route in the API, with the status the router wrote. */
export interface KnownRoute {
  readonly name: string;
  readonly namespace: string;
  /** `http` without TLS. */
  readonly kind: string;
  /** `yes`, or the reason for the rejection; undefined until the router has written a status. */
  readonly admitted: string | undefined;
  readonly status: unknown;
}

export interface RoutesApi {
  /** Empty if the API does not answer. */
  readonly routes: () => Promise<readonly KnownRoute[]>;
  /** Replaces the objects. A Route that stays keeps its status, as in a real API. */
  readonly show: (objects: readonly StoredObject[]) => Promise<void>;
}

/** Keeps unknown fields, so that the router's entry is restored in full. Otherwise the router would take it for another's and stop. */
const condition = z.looseObject({ type: z.string(), status: z.string(), reason: z.optional(z.string()) });
const list = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), namespace: z.string() }),
      spec: z.object({ tls: z.optional(z.object({ termination: z.string() })) }),
      status: z.optional(
        z.object({ ingress: z.optional(z.array(z.looseObject({ conditions: z.array(condition) }))) }),
      ),
    }),
  ),
});

export function routesApi(namespace: NetNamespace, server: string, stateFile: string): RoutesApi {
  const routes = async () => {
    const url = `${server}/apis/route.openshift.io/v1/routes`;
    const text = await namespace.run('curl', '-sk', '--max-time', '2', url).catch(() => '{"items":[]}');
    return routesIn(text);
  };
  return {
    routes,
    show: async (objects) => {
      const statuses = new Map((await routes()).map((each) => [keyOf(each), each.status]));
      writeObjects(
        stateFile,
        objects.map((object) => {
          const { name, namespace: of = '' } = object.metadata;
          const status = object.kind === 'Route' ? statuses.get(keyOf({ name, namespace: of })) : undefined;
          return status === undefined ? object : { ...object, status };
        }),
      );
    },
  };
}

/** Parses the API's answer to a list. */
export function routesIn(text: string): readonly KnownRoute[] {
  return list.parse(JSON.parse(text)).items.map(knownRoute);
}

function knownRoute({ metadata, spec, status }: z.infer<typeof list>['items'][number]): KnownRoute {
  const found = status?.ingress?.[0]?.conditions.find(({ type }) => type === 'Admitted');
  const admitted = found?.status === 'True' ? 'yes' : found?.reason;
  return { ...metadata, kind: spec.tls?.termination ?? 'http', admitted, status };
}

function keyOf({ name, namespace }: { readonly name: string; readonly namespace: string }): string {
  return `${namespace}/${name}`;
}
