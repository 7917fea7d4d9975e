/** Distinguishes the first of a run of equal failures from its repeats, for each topic separately. */
export interface Once {
  /** True if this failure differs from the last one of the topic. */
  readonly isNew: (topic: string, trouble: string) => boolean;
  /** The topic has recovered; true if a failure had been reported. */
  readonly clear: (topic: string) => boolean;
}

/** Every topic is remembered: tenants must not be able to choose topics. */
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
