/** Distinguishes the first of a run of equal failures from its repeats, for each topic separately. */
export interface Once {
  /** True if this failure differs from the last one of the topic. */
  readonly isNew: (topic: string, trouble: string) => boolean;
  /** The topic has recovered; true if a failure had been reported. */
  readonly clear: (topic: string) => boolean;
}

/** Remembers `maxTopics` at most, and forgets the one that was reported first: tenants may choose what a topic is. A forgotten one is new again. */
export function createOnce(maxTopics = Number.POSITIVE_INFINITY): Once {
  const told = new Map<string, string>();
  return {
    isNew: (topic, trouble) => {
      if (told.get(topic) === trouble) return false;
      told.set(topic, trouble);
      if (told.size > maxTopics) told.delete(told.keys().next().value ?? topic);
      return true;
    },
    clear: (topic) => told.delete(topic),
  };
}
