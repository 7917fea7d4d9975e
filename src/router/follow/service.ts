import * as z from 'zod/mini';
import { annotationsOf, metadata } from '../metadata.ts';
import { plainWord } from '../safe-text.ts';
import { reader } from './reading.ts';

/** The fields of a Service that the router reads: how to wake it while it is idled, and the port names that Ingresses use. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  /** '' for a headless Service. */
  readonly clusterIp: string;
  /** The Service's pods were scaled to zero. A connection to the cluster IP wakes them. */
  readonly isIdled: boolean;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

const schema = z.object({
  metadata,
  spec: z.nullish(
    z.object({
      clusterIP: z.nullish(z.string()),
      ports: z.nullish(
        z.array(z.object({ name: z.nullish(z.string()), port: z.number(), protocol: z.nullish(z.string()) })),
      ),
    }),
  ),
});

export const readService = reader(schema, ({ metadata, spec }): Service => {
  const clusterIp = spec?.clusterIP ?? '';
  const tcp = (spec?.ports ?? []).filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    clusterIp: clusterIp === 'None' ? '' : clusterIp,
    isIdled: Boolean(annotationsOf(metadata)['idling.alpha.openshift.io/idled-at']),
    ports: tcp
      .map(({ name, port }) => ({ name: name ?? '', port }))
      .filter(
        ({ name, port }) =>
          (name === '' || plainWord.test(name)) && Number.isInteger(port) && port >= 1 && port <= 65_535,
      ),
  };
});
