import { type Document, parseDocument } from 'yaml';
import * as z from 'zod/mini';

/** A container of a static pod, as far as it says how its program is started. */
export interface ManifestContainer {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its working directory. */
  readonly folder: string;
  /** The node's path of the container's `path`; `path` itself if nothing of the node is mounted there. */
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

/** Empty for whatever is no manifest of a pod. */
export function manifestContainers(text: string): readonly ManifestContainer[] {
  try {
    return containersIn(plainIn(text));
  } catch {
    return [];
  }
}

/** The same of a parsed manifest. */
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
