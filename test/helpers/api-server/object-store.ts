/** An object as the API stores it. Only the fields that lists, watches and selectors use are named. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** One change. `before` is missing for a new object, `after` for a deleted one. */
export interface StoreChange {
  readonly version: number;
  readonly before?: StoredObject;
  readonly after?: StoredObject;
}

/** Unique in a store; lists are sorted by it. */
export function keyOf({ kind, metadata: { name, namespace = '' } }: StoredObject): string {
  return `${kind}/${namespace}/${name}`;
}

/** Stands in for etcd: several servers may share one. */
export interface ObjectStore {
  readonly version: () => number;
  /** The oldest version from which a watch may start. */
  readonly oldest: () => number;
  /** Sorted by key. */
  readonly objects: () => readonly StoredObject[];
  readonly get: (kind: string, name: string, namespace?: string) => StoredObject | undefined;
  readonly changesSince: (version: number) => readonly StoreChange[];
  /** Creates or replaces; an equal object changes nothing. */
  readonly set: (object: StoredObject) => void;
  /** Without a namespace: in any. */
  readonly delete: (kind: string, name: string, namespace?: string) => void;
  /** Compacts: from now on every older resourceVersion and continue token gets 410. */
  readonly expire: () => void;
  readonly subscribe: (listener: (change: StoreChange) => void) => () => void;
}

/** `nextVersion` decides how versions grow; servers in several processes pass the clock, so that they agree. */
export function createObjectStore(nextVersion: (last: number) => number = (last) => last + 1): ObjectStore {
  const objects = new Map<string, StoredObject>();
  const changes: StoreChange[] = [];
  const listeners = new Set<(change: StoreChange) => void>();
  let version = nextVersion(100);
  let oldest = 0;
  let sorted: readonly StoredObject[] | undefined;

  const commit = (key: string, before?: StoredObject, next?: StoredObject) => {
    version = nextVersion(version);
    sorted = undefined;
    const last = next ?? before;
    if (last === undefined) return;
    const stamped = { ...last, metadata: { ...last.metadata, resourceVersion: `${version}` } };
    if (next === undefined) objects.delete(key);
    else objects.set(key, stamped);
    const change: StoreChange = {
      version,
      ...(before === undefined ? {} : { before: next === undefined ? stamped : before }),
      ...(next === undefined ? {} : { after: stamped }),
    };
    changes.push(change);
    for (const listener of listeners) listener(change);
  };

  return {
    version: () => version,
    oldest: () => oldest,
    objects: () => {
      sorted ??= [...objects.keys()].sort().flatMap((key) => objects.get(key) ?? []);
      return sorted;
    },
    get: (kind, name, namespace = '') => objects.get(`${kind}/${namespace}/${name}`),
    changesSince: (since) => changes.filter((change) => change.version > since),
    set: (object) => {
      const key = keyOf(object);
      const before = objects.get(key);
      if (before === undefined || !isSame(before, object)) commit(key, before, object);
    },
    delete: (kind, name, namespace) => {
      const isMeant = ({ metadata }: StoredObject) =>
        metadata.name === name && (namespace === undefined || metadata.namespace === namespace);
      const before = [...objects.values()].find((object) => object.kind === kind && isMeant(object));
      if (before !== undefined) commit(keyOf(before), before);
    },
    expire: () => {
      version = nextVersion(version);
      oldest = version;
      changes.length = 0;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isSame(stored: StoredObject, object: StoredObject): boolean {
  const { resourceVersion } = stored.metadata;
  const metadata = { ...object.metadata, resourceVersion };
  return JSON.stringify(stored) === JSON.stringify({ ...object, metadata });
}
