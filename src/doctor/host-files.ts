import { open, readdir, readlink } from 'node:fs/promises';
import { codeOf, messageOf } from '../model/errors.ts';

export type FileLook =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The node's files, which are not this process's where it runs in a container with the node mounted at `--root`. */
export interface HostFiles {
  /** Where a path of the node is for this process. */
  readonly at: (path: string) => string;
  /** The first megabyte. Never throws. */
  readonly read: (path: string) => Promise<FileLook>;
  /** Its text without blanks around it; undefined where there is none to read. */
  readonly value: (path: string) => Promise<string | undefined>;
  /** Names in a directory, sorted; empty where there is none to read. */
  readonly list: (path: string) => Promise<readonly string[]>;
  readonly link: (path: string) => Promise<string | undefined>;
}

const MOST_BYTES = 1_000_000;

export function hostFiles(root: string): HostFiles {
  const at = (path: string): string => (root === '/' ? path : `${root}${path}`);
  const read = async (path: string): Promise<FileLook> => {
    try {
      return { kind: 'text', text: await readStart(at(path)) };
    } catch (error) {
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
      return isMissing ? { kind: 'missing' } : { kind: 'unreadable', reason: messageOf(error) };
    }
  };
  return {
    at,
    read,
    value: async (path) => {
      const look = await read(path);
      return look.kind === 'text' ? look.text.trim() : undefined;
    },
    list: async (path) => (await readdir(at(path)).catch(() => [])).sort(),
    link: async (path) => await readlink(at(path)).catch(() => undefined),
  };
}

/** Files of /proc say that they have no bytes: what there is shows only by reading on. */
async function readStart(path: string): Promise<string> {
  await using file = await open(path, 'r');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.createReadStream({ autoClose: false, end: MOST_BYTES - 1 })) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}
