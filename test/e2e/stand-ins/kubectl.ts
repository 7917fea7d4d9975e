import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { changeObjects, readClusterFile } from './cluster-file.ts';

/** Stands in for the kubectl commands that change the cluster: the API servers here are read-only. */
const [file, ...argv] = process.argv.slice(2);
const cluster = readClusterFile(file);
const [, verb] = /^--kubeconfig \/etc\/kubernetes\/admin\.conf (.*)$/.exec(argv.join(' ')) ?? [];
// Like kubectl, which reads it first.
readFileSync('/etc/kubernetes/admin.conf');
const [, name] = /^delete node (\S+)$/.exec(verb ?? '') ?? [];
if (name !== undefined) deleteNode(name);
else if (verb === 'apply -f -') apply(readFileSync(0, 'utf8'));
else throw new Error(`Cannot play "kubectl ${argv.join(' ')}": no document mentions it`);

function deleteNode(wanted: string): void {
  changeObjects(cluster, (objects) => {
    const rest = objects.filter(({ metadata }) => metadata.name !== wanted);
    if (rest.length === objects.length)
      throw new Error(`Error from server (NotFound): nodes "${wanted}" not found`);
    return rest;
  });
  process.stdout.write(`node "${wanted}" deleted\n`);
}

function apply(text: string): void {
  const object = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });
  const found = parseAllDocuments(text).map((document) => object.parse(document.toJS()));
  if (found.length === 0) throw new Error('error: no objects passed to apply');
  for (const { kind, metadata } of found) process.stdout.write(`${kind}/${metadata.name} created\n`);
}
