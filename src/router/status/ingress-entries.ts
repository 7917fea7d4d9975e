/** One router's entry in a Route's `status.ingress`. Fields that hawser does not use are preserved. */
export type IngressEntry = Readonly<Record<string, unknown>>;

/** Identifies this router's entry in a status. */
export interface RouterIdentity {
  /** Routers with the same name share one entry. */
  readonly name: string;
  /** The CNAME target for routes' hosts; '' if there is none. */
  readonly canonicalHostname: string;
}

/** The desired entry of this router for a route. */
export interface DesiredEntry {
  readonly host: string;
  readonly wildcardPolicy: string;
  /** Undefined if the route is admitted. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/**
 * Returns the entries with this router's entry updated, or undefined if they are up to date. If `desired` is undefined, the entry is removed. Entries
 * of other routers keep their position and all fields. `lastTransitionTime` changes only with the host, or with the condition's status, reason or
 * message. An older router's condition UnservableInFutureVersions is removed.
 */
export function desiredIngress(
  before: readonly IngressEntry[],
  desired: DesiredEntry | undefined,
  router: RouterIdentity,
  now: Date,
): readonly IngressEntry[] | undefined {
  const at = before.findIndex((entry) => isOwn(entry, router));
  const own = before[at];
  if (desired === undefined)
    return own === undefined ? undefined : before.filter((entry) => !isOwn(entry, router));
  if (own === undefined) return [...before, entryOf({}, desired, router, now)];
  const isOnly = before.findLastIndex((entry) => isOwn(entry, router)) === at;
  if (isOnly && isUpToDate(own, desired, router)) return undefined;
  // Further entries of this router's name are a mistake and are removed.
  return before.flatMap((entry, index) => {
    if (index === at) return [entryOf(own, desired, router, now)];
    return isOwn(entry, router) ? [] : [entry];
  });
}

/** The entries in a Route's status; empty if the status has another form. */
export function ingressEntries(route: unknown): readonly IngressEntry[] {
  const ingress = record(record(route)['status'])['ingress'];
  return Array.isArray(ingress) ? ingress.map(record) : [];
}

export function isOwn(entry: IngressEntry, { name }: Pick<RouterIdentity, 'name'>): boolean {
  return entry['routerName'] === name;
}

/** Whether two entries are equal apart from their times. */
export function areEqualEntries(one: IngressEntry, other: IngressEntry): boolean {
  const isSame = (name: string) => textOf(one, name) === textOf(other, name);
  const a = admittedOf(one);
  const b = admittedOf(other);
  return (
    [...entryFields, 'routerCanonicalHostname'].every(isSame) &&
    conditionFields.every((name) => textOf(a, name) === textOf(b, name))
  );
}

const entryFields = ['host', 'wildcardPolicy'];
const conditionFields = ['status', 'reason', 'message'];

function isUpToDate(own: IngressEntry, desired: DesiredEntry, router: RouterIdentity): boolean {
  return (
    textOf(own, 'wildcardPolicy') === desired.wildcardPolicy &&
    textOf(own, 'routerCanonicalHostname') === router.canonicalHostname &&
    hasDesiredCondition(own, desired) &&
    !conditionsOf(own).some(isOutdated)
  );
}

/** Whether the host and the condition Admitted are as desired. */
function hasDesiredCondition(own: IngressEntry, { host, refusal }: DesiredEntry): boolean {
  const admitted = admittedOf(own);
  return (
    textOf(own, 'host') === host &&
    textOf(admitted, 'status') === (refusal === undefined ? 'True' : 'False') &&
    textOf(admitted, 'reason') === (refusal?.reason ?? '') &&
    textOf(admitted, 'message') === (refusal?.message ?? '')
  );
}

function entryOf(own: IngressEntry, desired: DesiredEntry, router: RouterIdentity, now: Date): IngressEntry {
  const { host, wildcardPolicy, refusal } = desired;
  const { routerCanonicalHostname: _, conditions: __, ...kept } = own;
  const since = textOf(admittedOf(own), 'lastTransitionTime');
  const admitted = {
    type: ADMITTED,
    status: refusal === undefined ? 'True' : 'False',
    ...refusal,
    lastTransitionTime: since !== '' && hasDesiredCondition(own, desired) ? since : secondsOf(now),
  };
  const others = conditionsOf(own).filter((each) => each['type'] !== ADMITTED && !isOutdated(each));
  return {
    ...kept,
    host,
    routerName: router.name,
    ...(router.canonicalHostname !== '' && { routerCanonicalHostname: router.canonicalHostname }),
    wildcardPolicy,
    conditions: [admitted, ...others],
  };
}

const ADMITTED = 'Admitted';

/** hawser knows of no route that fails in a later version. */
function isOutdated(condition: IngressEntry): boolean {
  return condition['type'] === 'UnservableInFutureVersions';
}

function admittedOf(entry: IngressEntry): IngressEntry {
  return conditionsOf(entry).find(({ type }) => type === ADMITTED) ?? {};
}

function conditionsOf(entry: IngressEntry): readonly IngressEntry[] {
  const { conditions } = entry;
  return Array.isArray(conditions) ? conditions.map(record) : [];
}

function record(value: unknown): IngressEntry {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is IngressEntry {
  return typeof value === 'object' && value !== null;
}

function textOf(entry: IngressEntry, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

/** A metav1.Time has whole seconds. */
function secondsOf(now: Date): string {
  return now.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
