import { nameInSet, nameOnDisk } from '../../engine/config/layout.ts';
import type { Ask } from './change-server.ts';
import type { FileKind } from './plan-files.ts';
import type { Running } from './running.ts';

/**
 * A generation's names for the files of a set. It keeps the names under which it read them, whatever is on disk now: certificates by their full
 * paths, maps and lists as its configuration names them.
 */
export interface RunningNames {
  readonly certificate: (name: string) => string | undefined;
  /** The name for a certificate that it does not have yet; kept from now on. */
  readonly newCertificate: (name: string, sha256: string) => string | undefined;
  readonly map: (name: string) => string | undefined;
  readonly list: (name: string) => string | undefined;
}

/** Queries HAProxy once per generation. Undefined if it does not answer. */
export function createRunningNames(ask: Ask): (running: Running) => Promise<RunningNames | undefined> {
  let [generation, names]: [number, RunningNames | undefined] = [0, undefined];
  return async (running) => {
    if (running.generation !== generation || names === undefined)
      [generation, names] = [running.generation, await askNames(ask, running)];
    return names;
  };
}

async function askNames(ask: Ask, running: Running): Promise<RunningNames | undefined> {
  const files = await askFiles(ask, running);
  if (files === undefined) return undefined;
  const named = (kind: FileKind): Map<string, string> =>
    new Map(files.filter((each) => each.kind === kind).map(({ runsAs }) => [nameInSet(runsAs), runsAs]));
  const [certificates, maps, lists] = [named('certificate'), named('map'), named('certificate-list')];
  const folder = [...certificates.values()].map((path) => /^.*\.files\//.exec(path)?.[0]).find(Boolean);
  return {
    certificate: (name) => certificates.get(name),
    newCertificate: (name, sha256) => {
      if (folder === undefined) return undefined;
      const path = folder + nameOnDisk(name, sha256);
      certificates.set(name, path);
      return path;
    },
    map: (name) => maps.get(name),
    list: (name) => lists.get(name),
  };
}

export interface RunningFile {
  readonly kind: FileKind;
  readonly runsAs: string;
}

/** Every map, list and certificate that HAProxy has read or received at runtime. Undefined without an answer. */
export async function askFiles(ask: Ask, running: Running): Promise<readonly RunningFile[] | undefined> {
  const commands = ['show map', 'show ssl crt-list', 'show ssl cert'];
  const [maps, lists, certificates] = await Promise.all(commands.map((command) => ask(running, command)));
  if (maps === undefined || lists === undefined || certificates === undefined) return undefined;
  const of = (kind: FileKind, names: readonly string[]): readonly RunningFile[] =>
    names.map((runsAs) => ({ kind, runsAs }));
  const paths = (text: string): readonly string[] => text.split('\n').filter((line) => /^[\w./]/.test(line));
  return [
    ...of(
      'map',
      [...maps.matchAll(/^\d+ \((\S+)\) /gm)].map(([, name = '']) => name),
    ),
    ...of('certificate-list', paths(lists)),
    ...of('certificate', paths(certificates)),
  ];
}
