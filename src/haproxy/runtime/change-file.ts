import { sha256Of } from '../../engine/config/set.ts';
import type { FileChange } from './change.ts';
import { type Ask, tell, tellAll } from './change-server.ts';
import {
  abortion,
  type ListEntry,
  listCommands,
  parseList,
  removal,
  renewal,
  replacement,
  versionIn,
} from './file-commands.ts';
import type { Running } from './running.ts';
import { createRunningNames, type RunningNames } from './running-names.ts';

type FileOutcome =
  | { readonly kind: 'changed'; readonly commands: number; readonly ended?: never }
  | { readonly kind: 'refused'; readonly reason: string };

/** The content of a set's file by its name and its hash; undefined if it cannot be read. */
export type ReadSetFile = (name: string, sha256: string) => Promise<string | undefined>;

type Change<Kind extends FileChange['kind']> = Extract<FileChange, { kind: Kind }>;

/** Applies changes to files in HAProxy's memory, for one request: the lists are read once. */
export function createFileChanges(
  ask: Ask,
  read: ReadSetFile,
): (running: Running) => (change: FileChange) => Promise<FileOutcome> {
  const namesOf = createRunningNames(ask);
  return (running) => {
    const lists = new Map<string, Promise<readonly ListEntry[] | undefined>>();
    const contentOf = async (name: string, sha256: string): Promise<string | undefined> => {
      const content = await read(name, sha256);
      return content !== undefined && sha256Of(content) === sha256 ? content : undefined;
    };
    const entriesIn = (list: string): Promise<readonly ListEntry[] | undefined> => {
      const found =
        lists.get(list) ??
        ask(running, `show ssl crt-list -n ${list}`).then((reply) =>
          reply === undefined ? undefined : parseList(reply, list),
        );
      lists.set(list, found);
      return found;
    };
    const mapLine = async ({ map, key, value }: Change<'map-line'>, names: RunningNames) => {
      const name = names.map(map);
      if (name === undefined) return unknown(map);
      if (value === null)
        return await tellEach([{ text: `del map ${name} ${key}`, done: /^(?:Key not found\.)?$/ }]);
      // Added only if absent: HAProxy would keep duplicates.
      const addition = { text: `add map ${name} ${key} ${value}`, done: /^$/ };
      const instead = { answer: /^entry not found\.$/, commands: [addition] };
      return await tellEach([{ text: `set map ${name} ${key} ${value}`, done: /^$/, instead }]);
    };
    const wholeMap = async ({ map, sha256 }: Change<'map'>, names: RunningNames) => {
      const [name, content] = [names.map(map), await contentOf(map, sha256)];
      if (name === undefined) return unknown(map);
      if (content === undefined) return unreadable(map);
      const version = versionIn(await ask(running, `prepare map ${name}`));
      if (version === undefined) return refused(`HAProxy does not prepare "${name}"`);
      return await tellEach(replacement(name, version, content));
    };
    const certificate = async (change: Change<'certificate'>, names: RunningNames) => {
      const { certificate: file, sha256 } = change;
      const name =
        names.certificate(file) ?? (sha256 === null ? undefined : names.newCertificate(file, sha256));
      if (name === undefined) return unknown(file);
      if (sha256 === null) return await tellEach([removal(name)]);
      const content = await contentOf(file, sha256);
      if (content === undefined) return unreadable(file);
      const outcome = await tellEach(renewal(name, content));
      if (outcome.kind === 'refused') await tell(ask, running, abortion(name));
      return outcome;
    };
    const listLine = async (change: Change<'list-line'>, names: RunningNames) => {
      const [list, name] = [names.list(change.list), names.certificate(change.certificate)];
      if (list === undefined || name === undefined) return unknown(change.list);
      const entries = await entriesIn(list);
      if (entries === undefined) return refused(`HAProxy does not say what "${list}" has`);
      return await tellEach(listCommands(list, name, change.line, entries));
    };
    const tellEach = async (commands: Parameters<typeof tellAll>[2]): Promise<FileOutcome> => {
      const trouble = await tellAll(ask, running, commands);
      return trouble === undefined ? { kind: 'changed', commands: commands.length } : refused(trouble);
    };
    return async (change) => {
      const names = await namesOf(running);
      if (names === undefined) return refused('HAProxy does not say how it calls its files');
      switch (change.kind) {
        case 'map-line':
          return await mapLine(change, names);
        case 'map':
          return await wholeMap(change, names);
        case 'certificate':
          return await certificate(change, names);
        case 'list-line':
          return await listLine(change, names);
      }
    };
  };
}

function refused(reason: string): FileOutcome {
  return { kind: 'refused', reason };
}

function unknown(name: string): FileOutcome {
  return refused(`HAProxy has not read "${name}"`);
}

function unreadable(name: string): FileOutcome {
  return refused(`"${name}" cannot be read as it was when the change was asked for`);
}
