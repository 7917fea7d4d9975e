import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';

const texts = z.array(z.string());
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  rules: z.array(z.object({ apiGroups: texts, resources: texts, verbs: texts })),
});

/** What the roles of a manifest grant, such as `list pods.` or `patch leases.coordination.k8s.io`. `path` is relative to the repository. */
export function grantedBy(
  path: string,
  kinds: readonly string[] = ['ClusterRole', 'Role'],
): readonly string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return parseAllDocuments(text)
    .flatMap((document) => role.safeParse(document.toJS()).data ?? [])
    .flatMap(({ kind, rules }) => (kinds.includes(kind) ? rules : []))
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    );
}
