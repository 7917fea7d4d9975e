import { type ApiSession, openApiSession } from '../kube/api-session.ts';
import type { WriteLimits } from '../kube/ask-object.ts';
import { openCredentials } from '../kube/in-cluster.ts';

/** The credentials' origin: a kubeconfig, otherwise the pod's service account. */
interface Credentials {
  readonly kubeconfig?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Asks the API as a daemon does, with its own credentials. The session ends with `use`. */
export async function withOwnSession<T>(
  { kubeconfig: path, env }: Credentials,
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
