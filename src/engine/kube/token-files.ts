import { resolve } from 'node:path';
import * as z from 'zod/mini';

const path = z.nullish(z.string());
const user = z.looseObject({ tokenFile: path, 'token-file': path });
const content = z.looseObject({ users: z.array(z.looseObject({ user: z.nullish(user) })) });

/**
 * Returns the kubeconfig `text` with each user's `tokenFile`, which the library ignores, moved to the field the library uses for a pod's own
 * token. `token-file`, which kubectl does not know, moves too: the library would read it while parsing. Paths are relative to `dir`. Throws for
 * text that names one but is not a kubeconfig.
 */
export async function moveTokenFiles(text: string, dir: string): Promise<string> {
  if (!/\btoken-?file\b/i.test(text)) return text;
  // A bundled CommonJS package has only a default export.
  const { default: yaml } = await import('yaml');
  const { data } = content.safeParse(yaml.parse(text, { merge: true }));
  if (data === undefined) throw new Error('its users cannot be read');
  const users = data.users.map(({ user, ...named }) => {
    const { tokenFile, 'token-file': other, ...rest } = user ?? {};
    const file = tokenFile || other;
    if (!file) return { ...named, user: rest };
    const provider = { name: 'tokenFile', config: { tokenFile: resolve(dir, file) } };
    return { ...named, user: { ...rest, 'auth-provider': provider } };
  });
  return JSON.stringify({ ...data, users });
}
