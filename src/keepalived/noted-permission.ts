import { readText } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';

/** `given`: the node may take part, as its health allows. `refused`: it stays out, whatever its health is. */
export type NotedPermission = 'given' | 'refused';

const fileOf = (trackFile: string): string => `${trackFile}.permission`;

/**
 * Leaves beside a track file whether its monitor lets the node take part. The value does not say so: a supervisor replaces
 * that of a silent monitor. Written where it differs, in one step. Throws the system's error.
 */
export function notePermission(trackFile: string, permission: NotedPermission): void {
  if (notedPermission(trackFile) === permission) return;
  replaceFile(fileOf(trackFile), `${permission}\n`, 0o644);
}

/** What the last monitor has left since the boot; undefined where none has decided yet. */
export function notedPermission(trackFile: string): NotedPermission | undefined {
  const noted = readText(fileOf(trackFile)).trim();
  return noted === 'given' || noted === 'refused' ? noted : undefined;
}
