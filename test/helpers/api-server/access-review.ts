import type { Answer } from './answers.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/**
 * Reviews of single Secrets, which a router asks for. Others get the 404 of a path that the stand-in does not serve, unless there
 * is a ClusterRole cluster-admin, which counts as bound to every user.
 */
export function reviewAnswer(path: string, body: string, store: ObjectStore): Answer | undefined {
  if (path === '/apis/authentication.k8s.io/v1/selfsubjectreviews')
    return { code: 201, body: { status: { userInfo: { username: USER } } } };
  if (path !== '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') return undefined;
  const { resourceAttributes: asked } = JSON.parse(body).spec;
  if (store.get('ClusterRole', 'cluster-admin') !== undefined)
    return { code: 201, body: { status: { allowed: true } } };
  if (asked.resource !== 'secrets' || asked.name === undefined) return undefined;
  const allowed = store.objects().some((object) => allows(object, asked));
  return { code: 201, body: { status: { allowed } } };
}

const USER = 'system:serviceaccount:hawser-router:hawser-router';

/** Every Role counts as bound to every user. */
function allows(
  { kind, metadata, ...rest }: StoredObject,
  asked: {
    readonly verb: string;
    readonly resource: string;
    readonly namespace: string;
    readonly name: string;
  },
): boolean {
  const { rules = [] } = rest as { readonly rules?: readonly Rule[] };
  return (
    kind === 'Role' &&
    metadata.namespace === asked.namespace &&
    rules.some(
      ({ verbs, resources, resourceNames }) =>
        verbs.includes(asked.verb) &&
        resources.includes(asked.resource) &&
        resourceNames.includes(asked.name),
    )
  );
}

interface Rule {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}
