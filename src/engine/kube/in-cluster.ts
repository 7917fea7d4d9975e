import { isIPv6 } from 'node:net';
import type { Log } from '../system/log.ts';
import { type KubeconfigFile, openKubeconfig } from './kubeconfig.ts';

/** Where the kubelet puts the cluster's CA and the token of a pod's service account, which it renews. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether this process runs in a pod with API access: the kubelet sets the address of the Service `kubernetes`. */
export function isInCluster(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']);
}

/** Opens the kubeconfig at `path`, or else the pod's service account. Both are read again when they change. */
export function openCredentials(path: string | undefined, env: NodeJS.ProcessEnv, log: Log): KubeconfigFile {
  return path === undefined ? openServiceAccount(env, log) : openKubeconfig(path, log);
}

/** Exported for its test, which uses another folder. */
export function openServiceAccount(
  env: NodeJS.ProcessEnv,
  log: Log,
  folder: string = SERVICE_ACCOUNT,
): KubeconfigFile {
  const text = JSON.stringify(kubeconfigOf(env, folder));
  // The named files are read for every request.
  const read = async (_path: string, known: string | undefined) =>
    known === text ? { fingerprint: text } : { fingerprint: text, text };
  return openKubeconfig(folder, log, { read });
}

function kubeconfigOf(env: NodeJS.ProcessEnv, folder: string): object {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    clusters: [{ name: 'own', cluster: { server, 'certificate-authority': `${folder}/ca.crt` } }],
    users: [{ name: 'own', user: { tokenFile: `${folder}/token` } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
    'current-context': 'own',
  };
}
