/** A kind of object in whose status the router says something. */
export interface StatusKind<Wish> {
  /** As messages name one object: `Route`. */
  readonly what: string;
  readonly apiVersion: string;
  readonly plural: string;
  /** Who the API says has written a field; undefined leaves it to the API. */
  readonly fieldManager?: string;
  /** The least of an object for which the functions below answer as for the whole object. */
  readonly keep: (object: unknown) => { readonly metadata?: object; readonly status: object };
  /** The status to write; undefined if nothing has to be written. Wanting nothing removes what is ours. */
  readonly change: (
    object: unknown,
    wish: Wish | undefined,
    now: Date,
  ) => Readonly<Record<string, unknown>> | undefined;
  /** Whether something in the status is ours. */
  readonly isOurs: (object: unknown) => boolean;
  /** Whether another writer has changed what was ours. Removing an entry of ours from a list of several writers does not count. */
  readonly isOverwritten: (before: unknown, after: unknown) => boolean;
  readonly isSameWish: (one: Wish, other: Wish) => boolean;
  /** What to do about a write that is forbidden, and about another writer that does not give up. */
  readonly remedies: { readonly forbidden: string; readonly contended: string };
}

/** What the status of one object is to say. */
export interface WantedStatus<Wish> {
  readonly namespace: string;
  readonly name: string;
  /** An object of the same name that was created later is another one. */
  readonly uid: string;
  /** Undefined: nothing of ours. `as-it-is` until it is clear what it should say. */
  readonly entry: Wish | 'as-it-is' | undefined;
}

/** By `namespace:name`. */
export type WantedStatuses<Wish> = Map<string, WantedStatus<Wish>>;

export function isSameWanted<Wish>(
  one: WantedStatus<Wish> | undefined,
  other: WantedStatus<Wish>,
  { isSameWish }: Pick<StatusKind<Wish>, 'isSameWish'>,
): boolean {
  if (one === other) return true;
  if (one === undefined || one.uid !== other.uid) return false;
  const a = one.entry;
  const b = other.entry;
  if (a === b) return true;
  if (a === undefined || b === undefined || a === 'as-it-is' || b === 'as-it-is') return false;
  return isSameWish(a, b);
}
