import * as z from 'zod/mini';
import { exactList } from '../../engine/system/exact-list.ts';
import {
  type Annotations,
  annotationsOf,
  type Identity,
  identityOf,
  metadata,
  subdomainName,
} from '../metadata.ts';
import type { PathMatch } from '../model.ts';
import { plainWord } from '../safe-text.ts';
import { type Reading, reader } from './reading.ts';

/** What the router reads of a Route (route.openshift.io/v1), or of one path of an Ingress, before any decision. */
export interface Route extends Identity {
  readonly annotations: Annotations;
  /** '' where the router is to choose one. */
  readonly host: string;
  readonly subdomain: string;
  readonly path: string;
  readonly pathMatch: PathMatch;
  readonly wildcardPolicy: string;
  readonly services: readonly WeightedService[];
  /** The number of a pod's port, or the name of a service's. */
  readonly targetPort?: string;
  readonly tls?: RouteTls;
  readonly headers: { readonly request: readonly HeaderWish[]; readonly response: readonly HeaderWish[] };
  /** The Ingress that this is a path of. */
  readonly ingress?: string;
  /** Why this cannot be served as it was meant, of an Ingress that says more than a route can. */
  readonly unsupported?: string;
  /** The hosts that routers have admitted it for, as its status says. Absent: none. */
  readonly held?: readonly HeldHost[];
  /** Why no more is known of it than who it is, and which host it asks for. It holds that host all the same. */
  readonly wrong?: {
    readonly reason: 'ExtendedValidationFailed' | 'InternalError';
    readonly message: string;
  };
}

/** A host that one router's entry in `status.ingress` says the route has. Only routers may write a status. */
interface HeldHost {
  readonly router: string;
  /** As in `spec.host`, of a wildcard too. */
  readonly host: string;
  readonly wildcardPolicy: string;
}

/** A route with these fields only. */
export function bareRoute(
  { namespace, name, uid, createdMs }: Identity,
  known: Partial<Omit<Route, keyof Identity>>,
): Route {
  return {
    namespace,
    name,
    uid,
    createdMs,
    annotations: {},
    host: '',
    subdomain: '',
    path: '',
    pathMatch: 'prefix',
    wildcardPolicy: 'None',
    services: [],
    headers: { request: [], response: [] },
    ...known,
  };
}

export interface WeightedService {
  readonly name: string;
  /** Not within bounds yet. */
  readonly weight: number;
}

export interface RouteTls {
  readonly termination: string;
  readonly insecurePolicy: string;
  /** PEM, as the tenant wrote it. */
  readonly certificate: string;
  readonly key: string;
  readonly caCertificate: string;
  readonly destinationCaCertificate: string;
  /** The name of a Secret in the route's namespace, which then has certificate and key. */
  readonly secret?: string;
  /** Of an Ingress: the name of a Secret of which `tls.crt` is the CA of the pods. */
  readonly destinationCaSecret?: string;
}

export interface HeaderWish {
  readonly name: string;
  readonly action: 'Set' | 'Delete';
  readonly value: string;
}

const text = z.nullish(z.string());
const backend = z.object({
  kind: z.nullish(z.enum(['Service', ''], { error: 'expected Service' })),
  name: subdomainName,
  weight: z.nullish(z.number()),
});
const headers = z.nullish(
  z.array(
    z.object({
      name: z.string(),
      action: z.object({
        type: z.enum(['Set', 'Delete'], { error: 'expected Set or Delete' }),
        set: z.nullish(z.object({ value: z.string() })),
      }),
    }),
  ),
);

const status = z.nullish(
  z.object({
    ingress: z.nullish(
      z.array(
        z.object({
          routerName: text,
          host: text,
          wildcardPolicy: text,
          conditions: z.nullish(z.array(z.object({ type: text, status: text, reason: text }))),
        }),
      ),
    ),
  }),
);
type Status = z.infer<typeof status>;

const schema = z.object({
  metadata,
  spec: z.object({
    host: text,
    subdomain: text,
    path: text,
    wildcardPolicy: text,
    to: backend,
    alternateBackends: z.nullish(z.array(backend)),
    port: z.nullish(
      z.object({
        targetPort: z.union(
          [z.number(), z.string().check(z.regex(plainWord, { error: 'expected a port or its name' }))],
          { error: 'expected a port or its name' },
        ),
      }),
    ),
    tls: z.nullish(
      z.object({
        termination: text,
        insecureEdgeTerminationPolicy: text,
        certificate: text,
        key: text,
        caCertificate: text,
        destinationCACertificate: text,
        externalCertificate: z.nullish(z.object({ name: z.string() })),
      }),
    ),
    httpHeaders: z.nullish(
      z.object({ actions: z.nullish(z.object({ request: headers, response: headers })) }),
    ),
  }),
});

const readSpec = reader(schema, ({ metadata, spec }): Route => {
  const { namespace, name, uid, createdMs } = identityOf(metadata);
  const { actions } = spec.httpHeaders ?? {};
  return {
    namespace,
    name,
    uid,
    createdMs,
    annotations: annotationsOf(metadata),
    host: spec.host ?? '',
    subdomain: spec.subdomain ?? '',
    path: spec.path ?? '',
    pathMatch: 'prefix',
    wildcardPolicy: spec.wildcardPolicy || 'None',
    services: exactList(
      [spec.to, ...(spec.alternateBackends ?? [])].map(({ name, weight }) => ({
        name,
        // The API's default.
        weight: weight ?? 100,
      })),
    ),
    ...(spec.port && { targetPort: `${spec.port.targetPort}` }),
    ...(spec.tls && { tls: tlsOf(spec.tls) }),
    headers: actions ? { request: wishes(actions.request), response: wishes(actions.response) } : noHeaders,
  };
});

/** Of most Routes. */
const noHeaders: Route['headers'] = { request: [], response: [] };

const readName = reader(z.object({ metadata }), (object) => identityOf(object.metadata));
const claimed = z.object({ spec: z.object({ host: text, path: text, wildcardPolicy: text }) });
const written = z.object({ status });
/** More would make a status as long as the Route. */
const MOST_PROBLEMS = 3;

/** A Route that cannot be read is one whose status says why, as long as its name can be read. */
export function readRoute(object: unknown): Reading<Route> {
  const reading = readSpecOrName(object);
  const held = heldHosts(written.safeParse(object).data?.status);
  return reading.kind === 'read' && held.length > 0
    ? { kind: 'read', value: { ...reading.value, held } }
    : reading;
}

/** Reasons of a route that did not get the host. One that is refused for anything else holds it all the same. */
const HOLDS_NOTHING: ReadonlySet<string> = new Set([
  'NoHostValue',
  'InvalidHost',
  'HostAlreadyClaimed',
  'RouteNotAdmitted',
]);
/** Each router has one entry. */
const MOST_ENTRIES = 32;

function heldHosts(status: Status): readonly HeldHost[] {
  return (status?.ingress ?? []).slice(0, MOST_ENTRIES).flatMap((entry): readonly HeldHost[] => {
    const { routerName, host, wildcardPolicy, conditions } = entry;
    const admitted = conditions?.find(({ type }) => type === 'Admitted');
    if (!routerName || !host || !admitted || HOLDS_NOTHING.has(admitted.reason ?? '')) return [];
    return [{ router: routerName, host, wildcardPolicy: wildcardPolicy || 'None' }];
  });
}

function readSpecOrName(object: unknown): Reading<Route> {
  const whole = readSpec(object);
  if (whole.kind === 'read') return whole;
  const name = readName(object);
  if (name.kind !== 'read') return whole;
  const { host, path, wildcardPolicy } = claimed.safeParse(object).data?.spec ?? {};
  const problems = whole.problems.slice(0, MOST_PROBLEMS).join('; ');
  const wrong = { reason: 'ExtendedValidationFailed', message: `it cannot be read: ${problems}` } as const;
  const asked = { host: host ?? '', path: path ?? '', wildcardPolicy: wildcardPolicy || 'None' };
  return { kind: 'read', value: bareRoute(name.value, { ...asked, wrong }) };
}

type Spec = z.infer<typeof schema>['spec'];

/** OpenShift's API makes it `edge` where neither the termination nor a CA of the pods is given. */
function tlsOf(tls: NonNullable<Spec['tls']>): RouteTls {
  const termination = tls.termination || (tls.destinationCACertificate ? '' : 'edge');
  const secret = tls.externalCertificate?.name ?? '';
  return {
    termination,
    insecurePolicy: tls.insecureEdgeTerminationPolicy ?? '',
    certificate: tls.certificate ?? '',
    key: tls.key ?? '',
    caCertificate: tls.caCertificate ?? '',
    destinationCaCertificate: tls.destinationCACertificate ?? '',
    ...(secret !== '' && { secret }),
  };
}

function wishes(list: z.infer<typeof headers>): readonly HeaderWish[] {
  return (list ?? []).map(({ name, action }) => ({
    name,
    action: action.type,
    value: action.set?.value ?? '',
  }));
}
