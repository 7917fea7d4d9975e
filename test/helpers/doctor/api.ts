import { createServer } from 'node:https';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Caller, startApiServer } from '../api-server/api-server.ts';
import { createObjectStore, type StoredObject } from '../api-server/object-store.ts';
import { type Authority, createAuthority, type IssuedCertificate } from '../certificates.ts';
import { writeKubeconfig } from '../cluster.ts';
import { temporaryRoot } from './scene.ts';

export interface Api {
  readonly dir: string;
  readonly authority: Authority;
  readonly serving: IssuedCertificate;
  readonly client: IssuedCertificate;
  readonly port: number;
  /** Writes a kubeconfig for this API server with its authority and client, unless other parts are given. */
  readonly kubeconfig: (parts?: {
    readonly server?: string;
    readonly ca?: string;
    readonly client?: IssuedCertificate;
  }) => string;
}

/** An API server on loopback with these objects. */
export async function startApi(
  objects: readonly StoredObject[],
  authorize?: (caller: Caller) => 'allowed' | 'unauthenticated' | 'forbidden',
): Promise<Api> {
  const dir = temporaryRoot({});
  const authority = createAuthority(join(dir, 'pki'));
  const serving = authority.issue({ commonName: 'kube-apiserver', addresses: ['127.0.0.1'] });
  const client = authority.issue({ commonName: 'system:node:cp-1', organization: 'system:nodes' });
  const store = createObjectStore();
  for (const object of objects) store.set(object);
  const server = await startApiServer({
    store,
    cert: serving.cert,
    key: serving.key,
    ca: authority.cert,
    ...(authorize === undefined ? {} : { authorize }),
  });
  onTestFinished(() => server.stop());
  return {
    dir,
    authority,
    serving,
    client,
    port: server.port,
    kubeconfig: (parts = {}) =>
      writeKubeconfig(
        join(dir, 'kubeconfig'),
        parts.server ?? server.url,
        parts.ca ?? authority.certFile,
        parts.client ?? client,
      ),
  };
}

/** An HTTPS server that gives every request this answer, with a clock that is off by `skewMs`; returns its port. */
export async function startAnswering(status: number, skewMs = 0): Promise<number> {
  const { cert, key } = createAuthority(temporaryRoot({})).issue({ commonName: 'kube-apiserver' });
  const server = createServer({ cert, key }, (_, response) => {
    response.writeHead(status, { date: new Date(Date.now() + skewMs).toUTCString() }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
}
