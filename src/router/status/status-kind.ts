/** A kind of object whose status the router writes. */
export interface StatusKind<Entry> {
  /** The kind's name in messages, such as `Route`. */
  readonly what: string;
  readonly apiVersion: string;
  readonly plural: string;
  /** The field manager for writes; undefined uses the API's default. */
  readonly fieldManager?: string;
  /** Reduces an object to the fields that the functions below need. */
  readonly keep: (object: unknown) => { readonly metadata?: object; readonly status: object };
  /** The status to write; undefined if it is up to date. If nothing is desired, this router's part is removed. */
  readonly change: (
    object: unknown,
    desired: Entry | undefined,
    now: Date,
  ) => Readonly<Record<string, unknown>> | undefined;
  /** Whether part of the status belongs to this router. */
  readonly isOurs: (object: unknown) => boolean;
  /** Whether another writer has changed this router's part. Removing this router's entry from a list of several writers does not count. */
  readonly isOverwritten: (before: unknown, after: unknown) => boolean;
  readonly isSameEntry: (one: Entry, other: Entry) => boolean;
  /** Remedies for a forbidden write, and for another writer that keeps overwriting. */
  readonly remedies: { readonly forbidden: string; readonly contended: string };
}

/** The desired status of one object. */
export interface DesiredStatus<Entry> {
  readonly namespace: string;
  readonly name: string;
  /** Distinguishes a recreated object of the same name. */
  readonly uid: string;
  /** Undefined removes this router's part. `unchanged` leaves the status alone until the result is known. */
  readonly entry: Entry | 'unchanged' | undefined;
}

/** Desired statuses by `namespace:name`. */
export type DesiredStatuses<Entry> = Map<string, DesiredStatus<Entry>>;

export function isSameDesired<Entry>(
  one: DesiredStatus<Entry> | undefined,
  other: DesiredStatus<Entry>,
  { isSameEntry }: Pick<StatusKind<Entry>, 'isSameEntry'>,
): boolean {
  if (one === other) return true;
  if (one === undefined || one.uid !== other.uid) return false;
  const a = one.entry;
  const b = other.entry;
  if (a === b) return true;
  if (a === undefined || b === undefined || a === 'unchanged' || b === 'unchanged') return false;
  return isSameEntry(a, b);
}
