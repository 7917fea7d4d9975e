import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { readObjectList } from '../follow/read-object-list.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { type Decision, decide } from './decide.ts';

/** Decides on the objects in a file, or on stdin for `-`. `problems` lists the objects that were left out. */
export async function readDecision(
  path: string,
  settings: RouterSettings,
): Promise<Decision & { readonly problems: readonly string[] }> {
  const read = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  const list = readObjectList(read, settings.routeLabels);
  return { ...decide(list.objects, settings), problems: list.problems };
}
