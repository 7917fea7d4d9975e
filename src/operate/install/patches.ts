import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import type { Pod } from '../../cli/pod.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { fieldOf } from '../../engine/system/field-of.ts';
import { plainOf } from './manifest-containers.ts';

export interface Patch {
  readonly path: string;
  /** The name of the pod. */
  readonly target: string;
  readonly type: 'strategic' | 'merge' | 'json';
  /** One or more documents of the file. */
  readonly contents: readonly unknown[];
}

/** `target[suffix][+patchtype].extension`, as for `kubeadm --patches`. */
function formFor(pods: readonly Pod[]): RegExp {
  const targets = pods.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
  return new RegExp(`^(${targets.join('|')})([^+.]*)(?:\\+(strategic|merge|json))?\\.(?:yaml|json)$`);
}

/**
 * Reads the patches of a folder, in the order of their names. `shown` is the folder's name in messages. Throws a ConfigError
 * that lists every invalid file, so that no patch is silently ignored.
 */
export function readPatches(folder: string, shown: string, pods: readonly Pod[]): readonly Patch[] {
  const form = formFor(pods);
  const problems: string[] = [];
  const patches = namesIn(folder, shown).flatMap((name): readonly Patch[] => {
    const path = `${shown}/${name}`;
    const [, target, , type = 'strategic'] = form.exec(name) ?? [];
    if (target === undefined) {
      problems.push(
        `Cannot use patch "${path}": expected a name such as haproxy.yaml or keepalived0+json.yaml`,
      );
      return [];
    }
    try {
      const contents = contentsOf(readFileSync(join(folder, name), 'utf8'));
      return [{ path, target, type: type as Patch['type'], contents }];
    } catch (error) {
      problems.push(`Cannot use patch "${path}": ${messageOf(error)}`);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return patches;
}

function namesIn(folder: string, shown: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    throw new ConfigError([`Cannot read --patches "${shown}": ${messageOf(error)}`]);
  }
}

function contentsOf(text: string): readonly unknown[] {
  return [...parseAllDocuments(text, { logLevel: 'silent' })].map(plainOf);
}

/** Applies a patch. Throws a ConfigError that names the patch if it does not apply. */
export function applyPatch(document: Document, { path, type, contents }: Patch): void {
  try {
    for (const content of contents)
      if (type === 'json') applyJsonPatch(document, content);
      else mergeValue(document, [], content, type);
  } catch (error) {
    throw new ConfigError([`Cannot use patch "${path}": ${messageOf(error)}`]);
  }
}

const pointer = z.string().check(z.regex(/^(?:\/[^/]*)+$/));
const operations = z.array(
  z.discriminatedUnion('op', [
    z.object({ op: z.enum(['add', 'replace', 'test']), path: pointer, value: z.unknown() }),
    z.object({ op: z.literal('remove'), path: pointer }),
  ]),
);

/** Applies a JSON patch (RFC 6902) without `move` and `copy`. Throws for an invalid patch and for a path that does not exist. */
function applyJsonPatch(document: Document, patch: unknown): void {
  const parsed = operations.safeParse(patch);
  if (!parsed.success)
    throw new Error(
      'expected a list of add, remove, replace and test, each with a "path" such as /spec/containers/0',
    );
  for (const operation of parsed.data) {
    const path = pathOf(document, operation.path);
    if (operation.op !== 'add' && !document.hasIn(path)) throw new Error(`"${operation.path}" is not there`);
    switch (operation.op) {
      case 'remove':
        document.deleteIn(path);
        break;
      case 'replace':
        document.setIn(path, document.createNode(operation.value));
        break;
      case 'add':
        add(document, path, operation.value);
        break;
      case 'test':
        if (
          JSON.stringify(path.reduce<unknown>(fieldOf, document.toJS())) !== JSON.stringify(operation.value)
        )
          throw new Error(`"${operation.path}" does not have the value that the test expects`);
    }
  }
}

function add(document: Document, path: Path, value: unknown): void {
  const list = document.getIn(path.slice(0, -1));
  const place = path.at(-1);
  if (isSeq(list) && typeof place === 'number') list.items.splice(place, 0, document.createNode(value));
  else document.setIn(path, document.createNode(value));
}

/** Resolves a JSON pointer. `-` is the position after the last item of a list. */
function pathOf(document: Document, text: string): Path {
  const path: (string | number)[] = [];
  for (const part of text.slice(1).split('/')) {
    const here = path.length === 0 ? document.contents : document.getIn(path);
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(isSeq(here) ? (name === '-' ? here.items.length : Number(name)) : name);
  }
  return path;
}

export type Path = readonly (string | number)[];

/** The fields by which Kubernetes identifies items of a pod's lists. Other lists are replaced as a whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};

/**
 * Merges a patch into a document, as `kubectl patch` does. `strategic` merges the lists of a pod by their items' names
 * and supports `$patch: delete` and `$patch: replace`; `merge` (RFC 7386) replaces every list. Null removes a field.
 * Comments of unchanged parts are kept. Throws for a list item without its identifying field.
 */
function mergeValue(document: Document, path: Path, patch: unknown, how: 'strategic' | 'merge'): void {
  const key = mergeKeys[String(path.at(-1))];
  if (isRecord(patch)) mergeFields(document, path, patch, how);
  else if (how === 'strategic' && key !== undefined && Array.isArray(patch))
    mergeItems(document, path, patch, key);
  else document.setIn(path, document.createNode(patch));
}

function mergeFields(
  document: Document,
  path: Path,
  patch: Readonly<Record<string, unknown>>,
  how: 'strategic' | 'merge',
): void {
  const { $patch: directive, ...fields } = patch;
  const isNew = path.length > 0 && !isMap(document.getIn(path));
  if (isNew || (how === 'strategic' && directive === 'replace'))
    document.setIn(path, document.createNode({}));
  for (const [name, value] of Object.entries(how === 'strategic' ? fields : patch)) {
    if (value === null || (how === 'strategic' && isRecord(value) && value['$patch'] === 'delete'))
      document.deleteIn([...path, name]);
    else mergeValue(document, [...path, name], value, how);
  }
}

function mergeItems(document: Document, path: Path, items: readonly unknown[], key: string): void {
  if (!isSeq(document.getIn(path))) document.setIn(path, document.createNode([]));
  for (const item of items) {
    const name = isRecord(item) ? item[key] : undefined;
    if (!isRecord(item) || name === undefined)
      throw new Error(`an item of "${path.join('.')}" has no "${key}"`);
    const place = indexOf(document, path, key, name);
    if (item['$patch'] === 'delete') {
      if (place !== undefined) document.deleteIn([...path, place]);
    } else if (place === undefined) {
      const { $patch: _, ...fields } = item;
      document.addIn(path, document.createNode(fields));
    } else mergeFields(document, [...path, place], item, 'strategic');
  }
}

function indexOf(document: Document, path: Path, key: string, name: unknown): number | undefined {
  const list = document.getIn(path);
  if (!isSeq(list)) return undefined;
  const found = list.items.findIndex((item) => {
    const value = isMap(item) ? item.get(key, true) : undefined;
    return isScalar(value) && value.value === name;
  });
  return found === -1 ? undefined : found;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
