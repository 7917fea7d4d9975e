/** Where the API serves a kind of objects. */
export interface ObjectKind {
  /** `v1`, `discovery.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Left out: those of all namespaces, or a kind that has none. */
  readonly namespace?: string;
}

/** Objects of one kind to list and watch, and what is kept of each. */
export interface Resource<T> extends ObjectKind {
  /** The name for messages: `control-plane nodes`. */
  readonly what: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The cluster need not have this kind: while the API does not know it, there are no objects of it. */
  readonly mayBeAbsent?: true;
  /** A list without more than half of the known objects is used only once a second one says the same. What a watch tells counts at once. */
  readonly doubtsLoss?: true;
  /**
   * What is kept of an object; undefined drops it. It is called while a page is read, so that memory is bounded by what
   * it returns. It must not throw, whatever the object is.
   */
  readonly project: (object: unknown) => T | undefined;
  /**
   * Whether anybody uses an object. A watch event for one that is unused before and after is kept, and is no news. Left out: all are used. It must
   * not throw.
   */
  isUsed?(value: T): boolean;
}

/** The path of a kind, or of one of its objects. */
export function pathOf({ apiVersion, plural, namespace }: ObjectKind, name?: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${group}${scope}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** The path of a list or watch, with the resource's selectors. */
export function queryPath(resource: Resource<unknown>, parameters: Readonly<Record<string, string>>): string {
  const { labelSelector = '', fieldSelector = '' } = resource;
  const query = new URLSearchParams({
    ...(labelSelector !== '' && { labelSelector }),
    ...(fieldSelector !== '' && { fieldSelector }),
    ...parameters,
  });
  return `${pathOf(resource)}?${query}`;
}
