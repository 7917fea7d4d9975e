import { nameInSet, nameOnDisk } from '../../engine/config/layout.ts';
import { sha256Of } from '../../engine/config/set.ts';
import type { FileChange } from './change.ts';
import { abortion, type ListEntry, listCommands, parseList, removal, renewal } from './file-commands.ts';
import {
  type ChangeOutcome,
  type Command,
  type Line,
  type Running,
  refused,
  send,
  sendAll,
  type Worker,
  workerOf,
} from './line.ts';
import type { FileKind } from './plan-files.ts';

/** Reads a set's file by its name and hash; undefined if it cannot be read. */
export type ReadSetFile = (name: string, sha256: string) => Promise<string | undefined>;

type Change<Kind extends FileChange['kind']> = Extract<FileChange, { kind: Kind }>;

/** Applies changes to files in HAProxy's memory. Each returned function serves one request and reads each list once. */
export function createFileChanges(
  line: Line,
  read: ReadSetFile,
): (running: Running) => (change: FileChange) => Promise<ChangeOutcome> {
  const namesOf = createRunningNames();
  return (running) => {
    const worker = workerOf(line, running);
    const lists = new Map<string, Promise<readonly ListEntry[] | undefined>>();
    const entriesIn = (list: string): Promise<readonly ListEntry[] | undefined> => {
      const entries =
        lists.get(list) ??
        worker
          .ask(`show ssl crt-list -n ${list}`)
          .then((reply) => (reply === undefined ? undefined : parseList(reply, list)));
      lists.set(list, entries);
      return entries;
    };
    const mapLine = async ({ map, key, value }: Change<'map-line'>, names: RunningNames) => {
      const name = names.map(map);
      if (name === undefined) return unknown(map);
      if (value === null)
        return await sendEach([{ text: `del map ${name} ${key}`, done: /^(?:Key not found\.)?$/ }]);
      // Adds the key only if it is absent: HAProxy would keep duplicates.
      const addition = { text: `add map ${name} ${key} ${value}`, done: /^$/ };
      const instead = { answer: /^entry not found\.$/, commands: [addition] };
      return await sendEach([{ text: `set map ${name} ${key} ${value}`, done: /^$/, instead }]);
    };
    const certificate = async (change: Change<'certificate'>, names: RunningNames) => {
      const { certificate: file, sha256 } = change;
      const name =
        names.certificate(file) ?? (sha256 === null ? undefined : names.newCertificate(file, sha256));
      if (name === undefined) return unknown(file);
      if (sha256 === null) return await sendEach([removal(name)]);
      const content = await read(file, sha256);
      if (content === undefined || sha256Of(content) !== sha256)
        return refused(`"${file}" does not have the requested content`);
      const outcome = await sendEach(renewal(name, content));
      if (outcome.kind === 'refused') await send(worker, abortion(name));
      return outcome;
    };
    const listLine = async (change: Change<'list-line'>, names: RunningNames) => {
      const list = names.list(change.list);
      const name = names.certificate(change.certificate);
      if (list === undefined || name === undefined) return unknown(change.list);
      const entries = await entriesIn(list);
      if (entries === undefined) return refused(`HAProxy does not report the lines of "${list}"`);
      return await sendEach(listCommands(list, name, change.line, entries));
    };
    const sendEach = async (commands: readonly Command[]): Promise<ChangeOutcome> => {
      const trouble = await sendAll(worker, commands);
      return trouble === undefined ? { kind: 'changed', commands: commands.length } : refused(trouble);
    };
    return async (change) => {
      const names = await namesOf(running, worker);
      if (names === undefined) return refused('HAProxy does not report the names of its files');
      switch (change.kind) {
        case 'map-line':
          return await mapLine(change, names);
        case 'certificate':
          return await certificate(change, names);
        case 'list-line':
          return await listLine(change, names);
      }
    };
  };
}

function unknown(name: string): ChangeOutcome {
  return refused(`HAProxy has not read "${name}"`);
}

/**
 * A generation's names for the files of a set: full paths for certificates, and for maps and lists the names in its configuration. A generation keeps
 * the names under which it read the files, whatever is on disk now.
 */
interface RunningNames {
  readonly certificate: (name: string) => string | undefined;
  /** The name for a certificate that the generation does not have yet. Remembered from then on. */
  readonly newCertificate: (name: string, sha256: string) => string | undefined;
  readonly map: (name: string) => string | undefined;
  readonly list: (name: string) => string | undefined;
}

/** Queries HAProxy once per generation. Undefined if it does not answer. */
function createRunningNames(): (running: Running, worker: Worker) => Promise<RunningNames | undefined> {
  let generation = 0;
  let names: RunningNames | undefined;
  return async (running, worker) => {
    if (running.generation !== generation || names === undefined)
      [generation, names] = [running.generation, await askNames(worker)];
    return names;
  };
}

async function askNames(worker: Worker): Promise<RunningNames | undefined> {
  const files = await askFiles(worker);
  if (files === undefined) return undefined;
  const named = (kind: FileKind): Map<string, string> =>
    new Map(files.filter((each) => each.kind === kind).map(({ runsAs }) => [nameInSet(runsAs), runsAs]));
  const certificates = named('certificate');
  const maps = named('map');
  const lists = named('certificate-list');
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

interface RunningFile {
  readonly kind: FileKind;
  readonly runsAs: string;
}

/** Every map, list and certificate that HAProxy has read or received at runtime. Undefined without an answer. */
export async function askFiles({ ask }: Pick<Worker, 'ask'>): Promise<readonly RunningFile[] | undefined> {
  const commands = ['show map', 'show ssl crt-list', 'show ssl cert'];
  const [maps, lists, certificates] = await Promise.all(commands.map(ask));
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
