/** A limit under the name of its constant, `{ MAX_SET_BYTES }`: the name leads to where it is written and why. */
export type NamedLimit = Readonly<Record<string, number>>;

/** What is too much, with the limit's name, or undefined where it is not. */
export function overLimit(found: number, unit: string, limit: NamedLimit): string | undefined {
  const met = Object.entries(limit).find(([, most]) => found > most);
  return met && `${found} ${unit}, the limit ${met[0]} is ${met[1]}`;
}
