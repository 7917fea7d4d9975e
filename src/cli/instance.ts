import * as z from 'zod/mini';
import { flag } from './command-spec.ts';

/**
 * For commands of a program that may run several times on a node (docs/internals/decisions/0072). The name is part of file names, an nftables
 * table's name and socket paths, which the kernel limits.
 */
export const instance = flag(
  '<name>',
  z.optional(
    z.string().check(
      z.regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, {
        error:
          'expected a letter, then letters, digits and hyphens (a-z 0-9 -), no hyphen at the end, at most 20 in all',
      }),
    ),
  ),
  'one more on this node: its default paths carry -NAME, and it reads a settings file only if --settings names it',
  { inFile: 'never' },
);

/** `/etc/haproxy-b/haproxy.cfg` for the default `/etc/haproxy/haproxy.cfg`: a pod mounts the whole folder. */
export function instancePath(path: string, name: string): string {
  return path.replace(/^\/(?:etc|var\/run|var\/lib)\/[^/]+/, (folder) => `${folder}-${name}`);
}
