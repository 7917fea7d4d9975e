import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { storedObject } from '../../helpers/api-server/cluster-state.ts';

/** What the stand-ins know about the cluster they form: written by the test, the same on all nodes. */
export const clusterFile = z.object({
  /** Command line of an API server. */
  apiServer: z.array(z.string()),
  /** The objects of every API server: `{"objects": […]}`. */
  stateFile: z.string(),
  authorityFile: z.string(),
  /** Of the only user. */
  identity: z.object({ certFile: z.string(), keyFile: z.string() }),
  nodes: z.array(z.object({ name: z.string(), address: z.string(), dir: z.string() })),
});
export type ClusterFile = z.infer<typeof clusterFile>;

const stateSchema = z.object({ objects: z.array(storedObject) });
type Objects = z.infer<typeof stateSchema>['objects'];

export function readClusterFile(path: string | undefined): ClusterFile {
  if (path === undefined) throw new Error('Cannot play a part: no cluster file was named');
  return clusterFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** The node this runs on. */
export function thisNode({ nodes }: ClusterFile): ClusterFile['nodes'][number] {
  const found = nodes.find(({ name }) => name === hostname());
  if (found === undefined) throw new Error(`Cannot find node "${hostname()}" in the cluster`);
  return found;
}

/** Changes the objects of every API server. The file is replaced as a whole, because they may read it at any time. */
export function changeObjects({ stateFile }: ClusterFile, change: (objects: Objects) => Objects): void {
  const { objects } = stateSchema.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
  writeFileSync(`${stateFile}.new`, JSON.stringify({ objects: change(objects) }));
  renameSync(`${stateFile}.new`, stateFile);
}
