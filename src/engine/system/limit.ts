/** A limit with the name of its constant, `{ MAX_SET_BYTES }`. The name leads to its definition and reason. */
export type NamedLimit = Readonly<Record<string, number>>;

/** A message with the value, the limit and its name; undefined if the limit is not exceeded. */
export function overLimit(found: number, unit: string, limit: NamedLimit): string | undefined {
  const met = Object.entries(limit).find(([, most]) => found > most);
  return met && `${found} ${unit}, the limit ${met[0]} is ${met[1]}`;
}
