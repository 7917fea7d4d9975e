import { type Document, isMap, isScalar, isSeq } from 'yaml';

export type Path = readonly (string | number)[];

/** The field by which Kubernetes identifies items of a pod's lists; every other list is replaced as a whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  ...{ containers: 'name', initContainers: 'name', ephemeralContainers: 'name', volumes: 'name' },
  ...{ env: 'name', volumeMounts: 'mountPath', volumeDevices: 'devicePath', ports: 'containerPort' },
  ...{ imagePullSecrets: 'name', hostAliases: 'ip', topologySpreadConstraints: 'topologyKey' },
};

/**
 * Merges a patch into a document, as `kubectl patch` does. `strategic` merges the lists of a pod by their items' names
 * and knows `$patch: delete` and `$patch: replace`; `merge` (RFC 7386) replaces every list. Null removes a field.
 * Comments of unchanged parts stay. Throws for a list item without its identifying field.
 */
export function mergePatch(document: Document, patch: unknown, how: 'strategic' | 'merge'): void {
  mergeValue(document, [], patch, how);
}

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
