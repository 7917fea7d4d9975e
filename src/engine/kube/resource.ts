export interface ObjectKind {
  /** `v1`, `discovery.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Undefined: all namespaces, or a kind without namespaces. */
  readonly namespace?: string;
}

/** Objects of one kind to list and watch, and their projection. */
export interface Resource<T> extends ObjectKind {
  /** Name for messages: `control-plane nodes`. */
  readonly what: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The kind is optional: while the API does not have it, it has no objects. */
  readonly mayBeAbsent?: true;
  /** A list that lacks more than half of the known objects is accepted only if a second list agrees. Watch events apply at once. */
  readonly doubtsLoss?: true;
  /**
   * Projects an object to the part that is kept; undefined drops the object. Called while a page is read, so memory is bounded by the projections.
   * Must not throw for any object.
   */
  readonly project: (object: unknown) => T | undefined;
  /**
   * Whether an object is in use. A watch event for an object that is unused before and after is stored, but is not reported. Undefined: all objects are
   * in use. Must not throw.
   */
  isUsed?(value: T): boolean;
}

/** The path of a kind, or of an object of that kind. */
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
