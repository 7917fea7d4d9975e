import * as z from 'zod/mini';

/** Never empty: a watch from "" starts anywhere, and a write with "" ignores conflicts. */
export const versionField = z.string().check(z.minLength(1));

/** The answer to a list request. Unknown fields are ignored. */
export const listPage = z.object({
  metadata: z.object({ resourceVersion: versionField, continue: z.optional(z.string()) }),
  items: z.nullish(z.array(z.unknown())),
});

/** The API's description of a failure. */
export const statusObject = z.object({
  code: z.optional(z.number()),
  reason: z.optional(z.string()),
  message: z.optional(z.string()),
});

export const watchEvent = z.object({ type: z.string(), object: z.unknown() });

export const bookmarkObject = z.object({ metadata: z.object({ resourceVersion: versionField }) });

const namedObject = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.optional(z.string()),
    resourceVersion: z.optional(z.string()),
  }),
});

export interface ObjectIdentity {
  /** Unique within a kind: `name`, or `namespace/name`. */
  readonly key: string;
  /** Empty if the object has no version. */
  readonly resourceVersion: string;
}

/** An object's identity. Objects without a readable name share the key `(unnamed)`. */
export function identify(object: unknown): ObjectIdentity {
  const parsed = namedObject.safeParse(object);
  if (!parsed.success) return { key: '(unnamed)', resourceVersion: '' };
  const { name, namespace, resourceVersion = '' } = parsed.data.metadata;
  // One flat string: a template literal would make a rope of the parts, which live as long as the key.
  return { key: namespace === undefined ? name : [namespace, name].join('/'), resourceVersion };
}
