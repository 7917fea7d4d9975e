import { basename } from 'node:path';
import { isNameOfClaim } from '../../../src/engine/control/claim-socket.ts';
import { nameBehind } from '../../../src/engine/system/file/atomic-write.ts';

/** Whether a file of this name exists only while a program writes a file or claims a socket, or after it was killed doing so. */
export function isTemporary(path: string): boolean {
  const name = basename(path);
  return nameBehind(name) !== undefined || name.endsWith('.candidate') || isNameOfClaim(name);
}
