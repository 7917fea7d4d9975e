/** A limit by the name of its constant, `{ MAX_SET_BYTES }`: the name leads to its definition and reason. */
export type NamedLimit = Readonly<Record<string, number>>;

/** The excess and the limit's name; undefined within the limit. */
export function overLimit(found: number, unit: string, limit: NamedLimit): string | undefined {
  const met = Object.entries(limit).find(([, most]) => found > most);
  return met && `${found} ${unit}, the limit ${met[0]} is ${met[1]}`;
}
