import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredObject } from '../../test/helpers/api-server/object-store.ts';
import { node } from '../../test/helpers/api-server/objects.ts';
import { type Authority, createAuthority } from '../../test/helpers/certificates.ts';
import { type DemoProcess, startProcess } from './child-process.ts';
import {
  type DemoPaths,
  firstServers,
  network,
  programs,
  type ServerName,
  serverAddresses,
} from './layout.ts';
import { until } from './until.ts';

/** A Kubernetes cluster as a load balancer sees it: API servers with TLS, and the Nodes they list. */
export interface Cluster {
  readonly caFile: string;
  readonly isRunning: (server: ServerName) => boolean;
  /** Resolves once it answers. */
  readonly start: (server: ServerName) => Promise<void>;
  /** Sends SIGKILL and resolves once the server is dead. */
  readonly kill: (server: ServerName) => Promise<void>;
  /** Makes these the control-plane Nodes of the cluster. */
  readonly setNodes: (servers: readonly ServerName[]) => void;
  readonly stop: () => Promise<void>;
}

/** Starts the first three servers. */
export async function startCluster(
  prefix: readonly string[],
  paths: DemoPaths,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const authority = createAuthority(join(paths.dir, 'pki'));
  const running = new Map<ServerName, DemoProcess>();

  const start = async (server: ServerName): Promise<void> => {
    const address = serverAddresses[server];
    // Named after the node, so that a client can tell which server it reached through the VIP.
    const names = { commonName: server, addresses: [address, network.vip] };
    const { certFile, keyFile } = authority.issue(names);
    const started = startApiServer(
      prefix,
      [
        ...['--host', address, '--port', String(network.apiPort), '--state', paths.clusterState],
        ...['--cert', certFile, '--key', keyFile, '--ca', authority.certFile],
      ],
      (line) => onLine(`${server}: ${line}`),
    );
    running.set(server, started);
    await started.listens(signal);
  };
  const setNodes = (servers: readonly ServerName[]): void => {
    writeObjects(
      paths.clusterState,
      servers.map((server) => node(server, [serverAddresses[server]])),
    );
  };

  setNodes(firstServers);
  // The server is the node's own API server, as in the kubelet's kubeconfig.
  const server = `https://${serverAddresses['cp-1']}:${network.apiPort}`;
  writeFileSync(paths.kubeconfig, kubeconfig(server, authority));
  const stop = async () => {
    await Promise.all([...running.values()].map((each) => each.stop(1_000)));
  };
  const begun = await Promise.allSettled(firstServers.map(start));
  const failed = begun.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return {
    caFile: authority.certFile,
    isRunning: (server) => running.get(server)?.isRunning() === true,
    start,
    kill: async (server) => await running.get(server)?.kill(),
    setNodes,
    stop,
  };
}

/** Starts a fake API server; `listens` resolves once it is listening. Its output goes line by line to `onLine`. */
export function startApiServer(
  prefix: readonly string[],
  flags: readonly string[],
  onLine: (line: string) => void,
): DemoProcess & { readonly listens: (signal: AbortSignal) => Promise<unknown> } {
  let isReady = false;
  const started = startProcess([...prefix, process.execPath, programs.apiServer, ...flags], (line) => {
    if (line.startsWith('{"port":')) isReady = true;
    else onLine(line);
  });
  return {
    ...started,
    listens: (signal) => until('an API server to listen', () => isReady, { deadlineMs: 20_000, signal }),
  };
}

/** Replaces the objects of the API servers that use this state file. */
export function writeObjects(stateFile: string, objects: readonly StoredObject[]): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify({ objects }));
  renameSync(`${stateFile}.new`, stateFile);
}

/** A kubeconfig with a new client certificate, as JSON, which is valid YAML. */
export function kubeconfig(server: string, authority: Authority): string {
  const user = authority.issue({ commonName: 'hawser' });
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  const credentials = {
    'client-certificate-data': base64(user.cert),
    'client-key-data': base64(user.key),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'demo', cluster: { server, 'certificate-authority-data': base64(authority.cert) } }],
    users: [{ name: 'demo', user: credentials }],
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
    'current-context': 'demo',
  });
}
