import * as z from 'zod/mini';
import {
  type Annotations,
  annotationsOf,
  type Identity,
  identityOf,
  metadata,
  subdomainName,
} from '../metadata.ts';
import { plainWord } from '../safe-text.ts';
import { reader } from './reading.ts';

/** The fields of an Ingress (networking.k8s.io/v1) that the router reads. */
export interface Ingress extends Identity {
  readonly annotations: Annotations;
  /** `spec.ingressClassName`, or the deprecated annotation. */
  readonly className: string;
  readonly hasDefaultBackend: boolean;
  readonly tls: readonly { readonly hosts: readonly string[]; readonly secret?: string }[];
  readonly paths: readonly IngressPath[];
}

export interface IngressPath {
  /** '' matches every host. */
  readonly host: string;
  readonly path: string;
  readonly pathType: string;
  /** Undefined if the backend is not a service. */
  readonly service?: { readonly name: string; readonly port: string };
}

const text = z.nullish(z.string());
const service = z.object({
  name: subdomainName,
  port: z.nullish(
    z.object({
      name: z.nullish(z.string().check(z.regex(plainWord, { error: 'expected a port name' }))),
      number: z.nullish(z.number()),
    }),
  ),
});
const backend = z.object({ service: z.nullish(service) });

const schema = z.object({
  metadata,
  spec: z.object({
    ingressClassName: text,
    defaultBackend: z.nullish(z.unknown()),
    tls: z.nullish(z.array(z.object({ hosts: z.nullish(z.array(z.string())), secretName: text }))),
    rules: z.nullish(
      z.array(
        z.object({
          host: text,
          http: z.nullish(
            z.object({ paths: z.nullish(z.array(z.object({ path: text, pathType: text, backend }))) }),
          ),
        }),
      ),
    ),
  }),
});

export const readIngress = reader(schema, ({ metadata, spec }): Ingress => {
  const annotations = annotationsOf(metadata);
  return {
    ...identityOf(metadata),
    annotations,
    className: spec.ingressClassName ?? annotations['kubernetes.io/ingress.class'] ?? '',
    hasDefaultBackend: spec.defaultBackend !== undefined && spec.defaultBackend !== null,
    tls: (spec.tls ?? []).map(({ hosts, secretName }) => ({
      hosts: hosts ?? [],
      ...(secretName && { secret: secretName }),
    })),
    paths: (spec.rules ?? []).flatMap((rule) =>
      (rule.http?.paths ?? []).map((path) => pathOf(rule.host ?? '', path)),
    ),
  };
});

interface Written {
  readonly path?: string | null | undefined;
  readonly pathType?: string | null | undefined;
  readonly backend: z.infer<typeof backend>;
}

function pathOf(host: string, { path, pathType, backend }: Written): IngressPath {
  const port = backend.service?.port;
  return {
    host,
    path: path ?? '',
    pathType: pathType ?? 'ImplementationSpecific',
    ...(backend.service && {
      service: { name: backend.service.name, port: port?.name ?? `${port?.number ?? ''}` },
    }),
  };
}
