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

/** The fields of a Route (route.openshift.io/v1) that the router reads, or one path of an Ingress, before any decision. */
export interface Route extends Identity {
  readonly annotations: Annotations;
  /** '' if the route leaves the choice to the router. */
  readonly host: string;
  readonly subdomain: string;
  readonly path: string;
  readonly pathMatch: PathMatch;
  readonly wildcardPolicy: string;
  readonly services: readonly WeightedService[];
  /** The number of a pod's port, or the name of a service's port. */
  readonly targetPort?: string;
  readonly tls?: RouteTls;
  readonly headers: {
    readonly request: readonly HeaderActionSpec[];
    readonly response: readonly HeaderActionSpec[];
  };
  /** The name of the Ingress, if this route is one of its paths. */
  readonly ingress?: string;
  /** The hosts for which routers have admitted this route, according to its status. Undefined if there are none. */
  readonly held?: readonly HeldHost[];
  /** Set if the route cannot be served, whatever other routes request. It still keeps its host. */
  readonly invalid?: {
    readonly reason: 'ExtendedValidationFailed' | 'InternalError';
    readonly message: string;
  };
}

/** A host that one router's entry in `status.ingress` grants to the route. Only routers may write the status. */
interface HeldHost {
  readonly router: string;
  /** As in `spec.host`, also for a wildcard. */
  readonly host: string;
  readonly wildcardPolicy: string;
}

/** A route with these fields, and defaults for all others. */
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
  /** Not clamped yet. */
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
  /** The Secret in the route's namespace that holds the certificate and the key. */
  readonly secret?: string;
  /** For an Ingress: the Secret whose `tls.crt` holds the pods' CA. */
  readonly destinationCaSecret?: string;
}

export interface HeaderActionSpec {
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
        targetPort: z.union([z.number(), z.string().check(z.regex(plainWord), z.maxLength(63))], {
          error: 'expected a port number or name',
        }),
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
        externalCertificate: z.nullish(z.object({ name: subdomainName })),
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
        // The API's default weight.
        weight: weight ?? 100,
      })),
    ),
    ...(spec.port && { targetPort: `${spec.port.targetPort}` }),
    ...(spec.tls && { tls: tlsOf(spec.tls) }),
    headers: actions
      ? { request: headerSpecs(actions.request), response: headerSpecs(actions.response) }
      : noHeaders,
  };
});

/** Shared by most Routes. */
const noHeaders: Route['headers'] = { request: [], response: [] };

const readName = reader(z.object({ metadata }), (object) => identityOf(object.metadata));
const claimSchema = z.object({ spec: z.object({ host: text, path: text, wildcardPolicy: text }) });
const statusSchema = z.object({ status });
/** Keeps the message in the status short. */
const MAX_PROBLEMS = 3;

/** A Route with invalid fields is still returned, with the reason in it, if its name can be read. */
export function readRoute(object: unknown): Reading<Route> {
  const reading = readSpecOrName(object);
  const held = heldHosts(statusSchema.safeParse(object).data?.status);
  return reading.kind === 'read' && held.length > 0
    ? { kind: 'read', value: { ...reading.value, held } }
    : reading;
}

/** Reasons that mean that the route did not get its host. A route rejected for any other reason keeps it. */
const HOLDS_NOTHING: ReadonlySet<string> = new Set([
  'NoHostValue',
  'InvalidHost',
  'HostAlreadyClaimed',
  'RouteNotAdmitted',
]);
/** Each router has one entry in the status. */
const MAX_ENTRIES = 32;

function heldHosts(status: Status): readonly HeldHost[] {
  return (status?.ingress ?? []).slice(0, MAX_ENTRIES).flatMap((entry): readonly HeldHost[] => {
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
  const { host, path, wildcardPolicy } = claimSchema.safeParse(object).data?.spec ?? {};
  const problems = whole.problems.slice(0, MAX_PROBLEMS).join('; ');
  const invalid = {
    reason: 'ExtendedValidationFailed',
    message: `the Route cannot be read: ${problems}`,
  } as const;
  const claim = { host: host ?? '', path: path ?? '', wildcardPolicy: wildcardPolicy || 'None' };
  return { kind: 'read', value: bareRoute(name.value, { ...claim, invalid }) };
}

type Spec = z.infer<typeof schema>['spec'];

/** Like OpenShift's API, defaults the termination to `edge` unless a CA for the pods is set. */
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

function headerSpecs(list: z.infer<typeof headers>): readonly HeaderActionSpec[] {
  return (list ?? []).map(({ name, action }) => ({
    name,
    action: action.type,
    value: action.set?.value ?? '',
  }));
}
