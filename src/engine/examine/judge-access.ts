import { type Access, type AccessAnswer, askAccess } from '../kube/access-review.ts';
import { type ApiSession, openApiSession } from '../kube/api-session.ts';
import type { WriteLimits } from '../kube/ask-object.ts';
import { openCredentials } from '../kube/in-cluster.ts';
import { type Finding, fail, ok, unknown } from './check.ts';

interface AskedAccess<Needed extends Access> {
  readonly access: Needed;
  readonly answer: AccessAnswer;
}

/** Asks the API whether a daemon has all its permissions. `remedyOf` returns how to grant the missing ones. */
export async function examineAccess<Needed extends Access>(
  needed: readonly Needed[],
  remedyOf: (denied: readonly Needed[]) => string,
  daemon: Parameters<typeof withOwnSession>[0],
  limits: WriteLimits,
): Promise<Finding> {
  const asked = await withOwnSession(daemon, limits, async (session) =>
    Promise.all(needed.map(async (access) => ({ access, answer: await askAccess(session, access, limits) }))),
  );
  return judgeAccess(asked, remedyOf);
}

/** The finding: a failure lists every missing verb by kind of object. */
export function judgeAccess<Needed extends Access>(
  asked: readonly AskedAccess<Needed>[],
  remedyOf: (denied: readonly Needed[]) => string,
): Finding {
  const denied = asked.filter(({ answer }) => answer.kind === 'denied').map(({ access }) => access);
  if (denied.length > 0) {
    const kinds = Map.groupBy(denied, kindOf);
    const words = [...kinds].map(([kind, all]) => `${all.map(({ verb }) => verb).join(', ')} ${kind}`);
    return fail(`the API does not let it ${words.join('; ')}`, remedyOf(denied));
  }
  const silent = asked.map(({ answer }) => answer).find((answer) => 'message' in answer);
  if (silent !== undefined) return unknown(`the API does not answer: ${silent.message}`, CREDENTIALS);
  const kinds = new Set(asked.map(({ access }) => access.resource)).size;
  return ok(`it has every permission that it needs, for ${kinds} kinds of objects`);
}

function kindOf({ resource, namespace, name }: Access): string {
  const what = name === undefined ? resource : `${resource} ${name}`;
  return namespace === undefined ? what : `${what} in namespace ${namespace}`;
}

const CREDENTIALS =
  'run this in the pod, where the service account is; check the network policies towards the API';

/** Calls `use` with an API session with a daemon's credentials: its kubeconfig, or else its pod's service account. Then ends the session. */
export async function withOwnSession<T>(
  { kubeconfig: path, env }: { readonly kubeconfig?: string | undefined; readonly env: NodeJS.ProcessEnv },
  limits: WriteLimits,
  use: (session: ApiSession, limits: WriteLimits) => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const kubeconfig = openCredentials(path, env, () => undefined);
  try {
    return await use(openApiSession({ kubeconfig }, done.signal), limits);
  } finally {
    done.abort();
  }
}
