import { open, readdir, readlink, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf, messageOf } from '../system/errors.ts';

export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The node's files, which differ from this process's if it runs in a container with the node mounted at `--root`. */
export interface HostFiles {
  /** A node's path as this process sees it. */
  readonly at: (path: string) => string;
  /** The same with links followed, absolute ones too, as the node resolves them, or as a process with root directory `/proc/PID/root`. */
  readonly locate: (path: string, below?: string) => Promise<string>;
  /** The first megabyte. Never throws. */
  readonly read: (path: string) => Promise<FileReading>;
  /** The trimmed text of a file; undefined if it cannot be read. */
  readonly value: (path: string) => Promise<string | undefined>;
  /** Names in a directory, sorted; empty if it cannot be read. */
  readonly list: (path: string) => Promise<readonly string[]>;
  readonly link: (path: string) => Promise<string | undefined>;
  /** Whether the directory exists, readable or not. */
  readonly isFolder: (path: string) => Promise<boolean>;
}

const MOST_BYTES = 1_000_000;

export function hostFiles(root: string): HostFiles {
  const at = (path: string): string => (root === '/' ? path : `${root}${path}`);
  const locate = async (path: string, below = ''): Promise<string> => {
    const inside = (each: string): string => at(`${below}${each}`);
    return inside(root === '/' && below === '' ? path : await target(inside, path));
  };
  const read = async (path: string): Promise<FileReading> => {
    try {
      return { kind: 'text', text: await readStart(await locate(path)) };
    } catch (error) {
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
      return isMissing ? { kind: 'missing' } : { kind: 'unreadable', reason: messageOf(error) };
    }
  };
  return {
    at,
    locate,
    read,
    value: async (path) => {
      const file = await read(path);
      return file.kind === 'text' ? file.text.trim() : undefined;
    },
    list: async (path) => (await readdir(at(path)).catch(() => [])).sort(),
    link: async (path) => await readlink(at(path)).catch(() => undefined),
    isFolder: async (path) => (await stat(at(path)).catch(() => undefined))?.isDirectory() ?? false,
  };
}

const MOST_LINKS = 40;

/** Resolves the symbolic links in a node's path. Returns a node's path. The kernel's links in /proc cannot be resolved by name. */
async function target(at: HostFiles['at'], path: string, links = MOST_LINKS): Promise<string> {
  if (path.startsWith('/proc/')) return path;
  const parts = path.split('/').filter((part) => part !== '');
  let resolved = '/';
  for (const [index, part] of parts.entries()) {
    const next = resolve(resolved, part);
    const link = await readlink(at(next)).catch(() => undefined);
    if (link !== undefined && links > 0)
      return await target(at, resolve(resolved, link, ...parts.slice(index + 1)), links - 1);
    resolved = next;
  }
  return resolved;
}

/** Reads in chunks, because files in /proc report size 0. */
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
