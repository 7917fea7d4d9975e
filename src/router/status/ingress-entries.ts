/** One router's entry of a Route's `status.ingress`, as the API has it: fields that hawser does not know stay. */
export type IngressEntry = Readonly<Record<string, unknown>>;

/** Which entry of a status is ours, and how a client reaches the router. */
export interface RouterIdentity {
  /** Routers with one name write one entry. */
  readonly name: string;
  /** A CNAME target for a route's host; '' without one. */
  readonly canonicalHostname: string;
}

/** What our entry is to say of a route. */
export interface EntryWanted {
  readonly host: string;
  readonly wildcardPolicy: string;
  /** Absent where the route is admitted. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/**
 * The list with our entry as it is to be, or undefined if nothing has to be written. Wanting nothing removes our
 * entry. Entries of other routers keep their place and every field. `lastTransitionTime` moves only when the host, or
 * the condition's status, reason or message does. A condition UnservableInFutureVersions of an older router goes.
 */
export function desiredIngress(
  before: readonly IngressEntry[],
  wanted: EntryWanted | undefined,
  router: RouterIdentity,
  now: Date,
): readonly IngressEntry[] | undefined {
  const at = before.findIndex((entry) => isOwn(entry, router));
  const own = before[at];
  if (wanted === undefined)
    return own === undefined ? undefined : before.filter((entry) => !isOwn(entry, router));
  if (own === undefined) return [...before, entryOf({}, wanted, router, now)];
  const isOnly = before.findLastIndex((entry) => isOwn(entry, router)) === at;
  if (isOnly && holdsByStatus(own, wanted, router)) return undefined;
  // A second entry of the same name can only be a mistake.
  return before.flatMap((entry, index) => {
    if (index === at) return [entryOf(own, wanted, router, now)];
    return isOwn(entry, router) ? [] : [entry];
  });
}

/** The entries of a Route as the API has it; none where its status has another form. */
export function ingressEntries(route: unknown): readonly IngressEntry[] {
  const ingress = record(record(route)['status'])['ingress'];
  return Array.isArray(ingress) ? ingress.map(record) : [];
}

export function isOwn(entry: IngressEntry, { name }: Pick<RouterIdentity, 'name'>): boolean {
  return entry['routerName'] === name;
}

/** Whether two entries say the same, at whatever times. */
export function saysTheSame(one: IngressEntry, other: IngressEntry): boolean {
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

function holdsByStatus(own: IngressEntry, wanted: EntryWanted, router: RouterIdentity): boolean {
  return (
    textOf(own, 'wildcardPolicy') === wanted.wildcardPolicy &&
    textOf(own, 'routerCanonicalHostname') === router.canonicalHostname &&
    isSettled(own, wanted) &&
    !conditionsOf(own).some(isOutdated)
  );
}

/** Whether the condition and its details are as wanted. */
function isSettled(own: IngressEntry, { host, refusal }: EntryWanted): boolean {
  const admitted = admittedOf(own);
  return (
    textOf(own, 'host') === host &&
    textOf(admitted, 'status') === (refusal === undefined ? 'True' : 'False') &&
    textOf(admitted, 'reason') === (refusal?.reason ?? '') &&
    textOf(admitted, 'message') === (refusal?.message ?? '')
  );
}

function entryOf(own: IngressEntry, wanted: EntryWanted, router: RouterIdentity, now: Date): IngressEntry {
  const { host, wildcardPolicy, refusal } = wanted;
  const { routerCanonicalHostname: _, conditions: __, ...kept } = own;
  const since = textOf(admittedOf(own), 'lastTransitionTime');
  const admitted = {
    type: ADMITTED,
    status: refusal === undefined ? 'True' : 'False',
    ...refusal,
    lastTransitionTime: since !== '' && isSettled(own, wanted) ? since : secondsOf(now),
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

/** No route is known that a later version would not serve. */
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
