export interface ObjectKind {
  /** `v1`, `discovery.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Undefined: all namespaces, or a kind without them. */
  readonly namespace?: string;
}

/** Objects of one kind to list and watch, and their projection. */
export interface Resource<T> extends ObjectKind {
  /** The name for messages: `control-plane nodes`. */
  readonly what: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Optional kind: while the API does not know it, it has no objects. */
  readonly mayBeAbsent?: true;
  /** A list that lacks more than half of the known objects is accepted only if a second one agrees. Watch events apply at once. */
  readonly doubtsLoss?: true;
  /**
   * Projects an object to what is kept; undefined drops it. Called while a page is read, so memory is bounded by what it returns. Must not throw
   * for any object.
   */
  readonly project: (object: unknown) => T | undefined;
  /**
   * Whether an object is in use. A watch event for one that is unused before and after is stored, but is not news. Undefined: all are used. Must
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
