import * as z from 'zod/mini';
import type { ApiServer } from './api-server.ts';
import { noFaults } from './faults.ts';
import { keyOf, type ObjectStore } from './object-store.ts';

export const storedObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.exactOptional(z.string()),
    labels: z.exactOptional(z.record(z.string(), z.string())),
  }),
});

const flag = z.exactOptional(z.boolean());

export const faultChanges = z.object({
  stall: flag,
  stallWrites: flag,
  silentWatch: flag,
  reset: flag,
  error500: flag,
  notReady: flag,
  starting: flag,
  refuse: flag,
  slowMs: z.exactOptional(z.number()),
  resetMidLine: flag,
  nextWatchBytes: z.exactOptional(z.string()),
  lie: z.exactOptional(z.enum(['none', 'empty', 'half', 'old', 'huge', 'invalid'])),
});

/** Everything a server process should hold: objects not named are deleted, faults not named are off. */
export const state = z.object({
  /** Reported back once all of it is in force. */
  revision: z.optional(z.number()),
  objects: z.optional(z.array(storedObject)),
  faults: z.optional(faultChanges),
});

export async function applyState(
  wanted: z.infer<typeof state>,
  store: ObjectStore,
  server: ApiServer,
): Promise<void> {
  const keep = new Set((wanted.objects ?? []).map(keyOf));
  for (const object of store.objects()) {
    const { name, namespace } = object.metadata;
    if (!keep.has(keyOf(object))) store.delete(object.kind, name, namespace);
  }
  for (const object of wanted.objects ?? []) store.set(object);
  await server.setFaults({ ...noFaults, ...wanted.faults });
}
