import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileState, type WantedFile } from './plan.ts';
import { type InstallRecord, sha256 } from './record.ts';

export interface EditedFile {
  readonly path: string;
  /** The content on the node. */
  readonly content: string;
  readonly mode: number;
  readonly wanted: WantedFile;
  /** The content that hawser wrote, by the record; undefined if hawser did not write the file. */
  readonly recorded: string | undefined;
  /** Whether hawser would write another file than last time: it cannot, without losing what was edited. */
  readonly isOutdated: boolean;
}

/** Those of `files` that are on the node with another text than hawser wrote or would write. */
export async function editedFiles(
  root: string,
  files: readonly WantedFile[],
  record: InstallRecord | undefined,
): Promise<readonly EditedFile[]> {
  const found = await Promise.all(
    files.map(async (wanted) => {
      const { path } = wanted;
      // The plan's problems list a file that cannot be read.
      const there = await fileState(join(root, path)).catch(() => undefined);
      const recorded = record?.files.find((file) => file.path === path)?.sha256;
      if (there === undefined || sha256(there.content) === recorded) return [];
      if (there.content.equals(Buffer.from(wanted.content))) return [];
      const isOutdated = recorded !== sha256(wanted.content);
      return [
        { path, content: there.content.toString('utf8'), mode: there.mode, wanted, recorded, isOutdated },
      ];
    }),
  );
  return found.flat();
}

/** `PATH.saved`, or the first of `PATH.saved.2`, `PATH.saved.3` … that nothing has. */
export function freeName(root: string, path: string): string {
  let [name, count] = [`${path}.saved`, 1];
  while (existsSync(join(root, name))) {
    count += 1;
    name = `${path}.saved.${count}`;
  }
  return name;
}
