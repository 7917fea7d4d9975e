/** What the page says of each thing that is worth telling, by the thing's name. */
export type Announced = ReadonlyMap<string, string>;

const MOST_SENTENCES = 6;

/** What has changed, in sentences; a thing that has gone says so. Empty where nothing has. */
export function newsOf(before: Announced, after: Announced): string {
  const changed = [...after].filter(([about, tell]) => before.get(about) !== tell);
  const gone = [...before.keys()].filter((about) => !after.has(about));
  const sentences = [
    ...changed.map(([about, tell]) => `${about}: ${tell}.`),
    ...gone.map((about) => `${about} is gone.`),
  ];
  const more = sentences.length - MOST_SENTENCES;
  return [...sentences.slice(0, MOST_SENTENCES), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
