/** Distinguishes the first of a run of equal failures from its repeats, for each topic separately. */
export interface Once {
  /** Whether this failure differs from the last failure of the topic. */
  readonly isNew: (topic: string, trouble: string) => boolean;
  /** Records that the topic has recovered. Returns whether a failure had been reported. */
  readonly clear: (topic: string) => boolean;
}

/** Topics are never forgotten, so tenants must not be able to choose them. */
export function createOnce(): Once {
  const reported = new Map<string, string>();
  return {
    isNew: (topic, trouble) => {
      if (reported.get(topic) === trouble) return false;
      reported.set(topic, trouble);
      return true;
    },
    clear: (topic) => reported.delete(topic),
  };
}
