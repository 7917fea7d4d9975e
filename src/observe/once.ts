/** Tells the first of a run of equal troubles from its repeats, for each topic apart. */
export interface Once {
  /** True where this trouble is not the one that was told last. */
  readonly isNew: (topic: string, trouble: string) => boolean;
  /** All is well again; true where trouble had been told. */
  readonly clear: (topic: string) => boolean;
}

export function createOnce(): Once {
  const told = new Map<string, string>();
  return {
    isNew: (topic, trouble) => {
      if (told.get(topic) === trouble) return false;
      told.set(topic, trouble);
      return true;
    },
    clear: (topic) => told.delete(topic),
  };
}
