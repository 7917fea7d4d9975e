import { fileURLToPath } from 'node:url';
import type { BedNode } from './bed-node.ts';
import type { BedProcess } from './bed-process.ts';
import type { VrrpBed } from './vrrp-bed.ts';

export const API_PORT = 6443;

const program = fileURLToPath(new URL('../api-server/main.ts', import.meta.url));

/** An API server over TLS, by default on every address of its namespace. */
export function apiServerArgv(
  bed: VrrpBed,
  { host = '::', port = API_PORT }: { readonly host?: string; readonly port?: number } = {},
): readonly string[] {
  const flags = ['--host', host, '--port', String(port), '--state', bed.stateFile];
  const tls = ['--cert', bed.serving.certFile, '--key', bed.serving.keyFile];
  return [process.execPath, program, ...flags, ...tls];
}

/** Starts the node's API server. Its log is `apiserver.log`. */
export function startApiServer(bed: VrrpBed, node: BedNode): BedProcess {
  return node.start('apiserver', apiServerArgv(bed));
}

/** Whether the API server of this node answers. */
export async function apiServerAnswers(node: BedNode): Promise<boolean> {
  const host = node.address.includes(':') ? `[${node.address}]` : node.address;
  const url = `https://${host}:${API_PORT}/readyz`;
  return await node.namespace.run('curl', '-skf', '--max-time', '1', url).then(
    () => true,
    () => false,
  );
}
