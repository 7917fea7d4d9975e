import { type Document, parseDocument } from 'yaml';
import * as z from 'zod/mini';

/** How a container of a static pod starts its program. */
export interface ManifestContainer {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  /** The node's path for the container's `path`; `path` itself if it is not on a mounted volume. */
  readonly hostPath: (path: string) => string;
}

const podSchema = z.object({
  spec: z.object({
    containers: z.array(
      z.object({
        args: z._default(z.array(z.string()), []),
        workingDir: z._default(z.string(), '/'),
        env: z._default(
          z.array(z.object({ name: z.string(), value: z.optional(z.nullable(z.string())) })),
          [],
        ),
        volumeMounts: z._default(z.array(z.object({ name: z.string(), mountPath: z.string() })), []),
      }),
    ),
    volumes: z._default(
      z.array(z.object({ name: z.string(), hostPath: z.optional(z.object({ path: z.string() })) })),
      [],
    ),
  }),
});

/** The containers of a pod's manifest; empty for any other text. */
export function manifestContainers(text: string): readonly ManifestContainer[] {
  try {
    return containersIn(plainIn(text));
  } catch {
    return [];
  }
}

/** The containers of a parsed manifest; empty for any other value. */
export function containersIn(plain: unknown): readonly ManifestContainer[] {
  const parsed = podSchema.safeParse(plain);
  if (!parsed.success) return [];
  const { containers, volumes } = parsed.data.spec;
  const paths = new Map(volumes.flatMap(({ name, hostPath }) => (hostPath ? [[name, hostPath.path]] : [])));
  return containers.map(({ args, env, workingDir: folder, volumeMounts }) => {
    const mounts = volumeMounts.flatMap(({ name, mountPath }) => {
      const path = paths.get(name);
      return path === undefined ? [] : [{ mountPath, path }];
    });
    return {
      args,
      folder,
      env: Object.fromEntries(env.map(({ name, value }) => [name, value ?? ''])),
      hostPath: (path) => {
        const mount = mounts.find((each) => path === each.mountPath || path.startsWith(`${each.mountPath}/`));
        return mount === undefined ? path : `${mount.path}${path.slice(mount.mountPath.length)}`;
      },
    };
  });
}

/** Throws for text that is not YAML. */
export function plainIn(text: string): unknown {
  return plainOf(parseDocument(text, { logLevel: 'silent' }));
}

/** Throws for a document with errors. */
export function plainOf(document: Pick<Document, 'errors' | 'toJS'>): unknown {
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`invalid YAML (${problem.message.split('\n')[0]})`);
  return document.toJS({ maxAliasCount: 20 });
}
