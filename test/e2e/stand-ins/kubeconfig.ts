import { readFileSync } from 'node:fs';

export interface Credentials {
  readonly authorityFile: string;
  readonly identity: { readonly certFile: string; readonly keyFile: string };
}

/** The text of a self-contained kubeconfig for `HOST:PORT`. */
export function kubeconfig(
  { authorityFile, identity }: Credentials,
  endpoint: string,
  user = 'hawser',
): string {
  const base64 = (path: string) => readFileSync(path).toString('base64');
  const cluster = { server: `https://${endpoint}`, 'certificate-authority-data': base64(authorityFile) };
  const credentials = {
    'client-certificate-data': base64(identity.certFile),
    'client-key-data': base64(identity.keyFile),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bed', cluster }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user } }],
    'current-context': 'bed',
  });
}
