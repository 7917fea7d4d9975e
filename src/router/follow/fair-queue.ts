/** Routes with a pending status, by namespace. */
interface FairQueue {
  /** A waiting key keeps its place: the content is decided when it is taken. */
  readonly add: (namespace: string, key: string) => void;
  /** Of the namespace that has waited longest since it last had a turn. */
  readonly take: () => string | undefined;
  readonly isEmpty: () => boolean;
}

/** Namespaces have turns, so that ten thousand routes of one tenant keep nobody else's waiting. */
export function createFairQueue(): FairQueue {
  const waiting = new Map<string, Set<string>>();
  return {
    add: (namespace, key) => {
      const keys = waiting.get(namespace) ?? new Set();
      waiting.set(namespace, keys.add(key));
    },
    take: () => {
      const [turn] = waiting;
      if (turn === undefined) return undefined;
      const [namespace, keys] = turn;
      const [key] = keys;
      if (key !== undefined) keys.delete(key);
      waiting.delete(namespace);
      if (keys.size > 0) waiting.set(namespace, keys);
      return key;
    },
    isEmpty: () => waiting.size === 0,
  };
}
