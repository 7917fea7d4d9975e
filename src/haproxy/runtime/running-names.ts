import { folderIn } from '../../engine/apply/set-path.ts';
import type { Ask } from './change-server.ts';
import type { Running } from './running.ts';

/**
 * What a generation calls the files of a set. It keeps the names of the set that it was started with, whatever set lies there by now:
 * certificates by their full paths, maps and lists as its configuration names them.
 */
export interface RunningNames {
  readonly certificate: (name: string) => string | undefined;
  readonly map: (name: string) => string | undefined;
  readonly list: (name: string) => string | undefined;
}

/** Asks HAProxy once a generation. Undefined where it does not say. */
export function createRunningNames(ask: Ask): (running: Running) => Promise<RunningNames | undefined> {
  let [generation, names]: [number, RunningNames | undefined] = [0, undefined];
  return async (running) => {
    if (running.generation !== generation || names === undefined)
      [generation, names] = [running.generation, await askNames(ask, running)];
    return names;
  };
}

async function askNames(ask: Ask, running: Running): Promise<RunningNames | undefined> {
  const commands = ['show map', 'show ssl crt-list', 'show ssl cert'];
  const replies = await Promise.all(commands.map((command) => ask(running, command)));
  const [maps, lists, certificates] = replies;
  if (maps === undefined || lists === undefined || certificates === undefined) return undefined;
  const mapNames = [...maps.matchAll(/^\d+ \((\S+)\) /gm)].map(([, name = '']) => name);
  const folder = certificates
    .split('\n')
    .map(folderIn)
    .find((found) => found !== undefined);
  return {
    certificate: (name) => (folder === undefined ? undefined : `${folder}/${name}`),
    map: (name) => find(mapNames, name),
    list: (name) => find(lists.split('\n'), name),
  };
}

function find(names: readonly string[], name: string): string | undefined {
  return names.find((each) => each === name || each.endsWith(`/${name}`));
}
