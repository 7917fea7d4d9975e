import { basename } from 'node:path';
import { isNameOfClaim } from '../../../src/engine/control/claim-socket.ts';
import { nameBehind } from '../../../src/engine/system/file/atomic-write.ts';

/** Whether a file with this name exists only while a program writes another one or claims a socket, or after a kill. */
export function isTemporary(path: string): boolean {
  const name = basename(path);
  return nameBehind(name) !== undefined || name.endsWith('.candidate') || isNameOfClaim(name);
}
