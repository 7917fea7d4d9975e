import { createHash } from 'node:crypto';
import { oncePer } from '../system/once-per.ts';
import {
  othersOf,
  type Rendered,
  type Revision,
  revisionOf,
  SET_FOLDER,
  type SetFile,
  sha256Of,
  sha256OfFile,
} from './set.ts';

/** A file of a set as it is on disk. */
export interface PlacedFile {
  readonly file: SetFile;
  /** Its path below the folder of all files. */
  readonly name: string;
  readonly content: string | Buffer;
}

/** The files of a set by their names. What is equal is the same file on disk, whatever the set. */
export const layoutOf: (rendered: Rendered) => ReadonlyMap<string, PlacedFile> = oncePer((rendered) => {
  const layout = new Map<string, PlacedFile>();
  const others = othersOf(rendered);
  for (const file of others) if (file.namesFiles !== true) layout.set(file.name, placedAlone(file));
  for (const file of others)
    if (file.namesFiles === true) {
      const content = file.content.toString().replace(/^[^\s#]+/gm, (name) => layout.get(name)?.name ?? name);
      layout.set(file.name, { file, name: nameOnDisk(file.name, sha256Of(content)), content });
    }
  return layout;
});

const placedAlone = oncePer(
  (file: SetFile): PlacedFile => ({
    file,
    content: file.content,
    name: nameOnDisk(file.name, sha256OfFile(file)),
  }),
);

const DIGEST_CHARACTERS = 16;

/** `certs/a.pem` with this content is `certs/a.3fa9….pem`. */
export function nameOnDisk(name: string, sha256: string): string {
  const digest = sha256.slice(0, DIGEST_CHARACTERS);
  return name.replace(/(?:\.\w+)?$/, (extension) => `.${digest}${extension}`);
}

const onDisk = /^(.+)\.[0-9a-f]{16}(\.\w+)?$/;

/** The name in the configuration of a file on disk, given by its path. Any other path is returned as it is. */
export function nameInSet(path: string): string {
  const name = belowFolder(path);
  const [, start, extension = ''] = onDisk.exec(name) ?? [];
  return start === undefined ? name : start + extension;
}

function belowFolder(path: string): string {
  const at = path.lastIndexOf(FILES_SUFFIX);
  return at === -1 ? path : path.slice(at + FILES_SUFFIX.length);
}

export const isNameOnDisk = (name: string): boolean => onDisk.test(name);

const FILES_SUFFIX = '.files/';

/** The names on disk in a text, by the names in the configuration. */
export function namesOnDiskIn(text: string): ReadonlyMap<string, string> {
  const names = text.match(/\w[\w./-]*/g)?.filter(isNameOnDisk) ?? [];
  return new Map(names.map((name) => [nameInSet(name), belowFolder(name)]));
}

/** A program's words about a set, with its files' names in the configuration. */
export function withNamesInSet(words: string): string {
  return words.replace(/[\w./-]+/g, (word) => (isNameOnDisk(word) ? nameInSet(word) : word));
}

/** The folder of all files of the main file at `path`. */
export const filesFolder = (path: string): string => `${path}.files`;

const bareName = /(?<![\w.@/-])(@SET_FOLDER@\/)?(\w[\w./-]*)/g;
const markedName = /@SET_FOLDER@\/(\w[\w./-]*)/g;

/** A text of a set with the names on disk. `isHead`: names without `SET_FOLDER` count too. */
export function withNamesOnDisk(text: string, rendered: Rendered, folder: string, isHead = false): string {
  if (!isHead && !text.includes(SET_FOLDER)) return text;
  const layout = layoutOf(rendered);
  const named = (name: string): string => layout.get(name)?.name ?? name;
  return (
    isHead
      ? text.replace(bareName, (_, mark = '', name: string) => `${mark}${named(name)}`)
      : text.replace(markedName, (_, name: string) => `${SET_FOLDER}/${named(name)}`)
  ).replaceAll(SET_FOLDER, () => folder);
}

const PART_BYTES = 256 * 1024;

/**
 * The bytes of the main file in parts, with every file below `folder` by its name in the set, or by its name on disk. Each part reuses the buffer of
 * the one before: a fresh buffer of megabytes for each change costs more in garbage collection than the rendering.
 */
export function* mainParts(
  main: Rendered,
  folder: string,
  names: 'in-set' | 'on-disk' = 'in-set',
): Generator<Buffer, void> {
  const part = Buffer.allocUnsafeSlow(PART_BYTES);
  let used = 0;
  let isHead = true;
  const resolve = (piece: string): string =>
    names === 'on-disk'
      ? withNamesOnDisk(piece, main, folder, isHead)
      : piece.replaceAll(SET_FOLDER, () => folder);
  for (const piece of othersOf(main).length === 0 ? [main.text] : (main.pieces ?? [main.text])) {
    const text = othersOf(main).length === 0 ? piece : resolve(piece);
    isHead = false;
    const most = 3 * text.length;
    if (used + most > PART_BYTES) {
      yield part.subarray(0, used);
      used = 0;
    }
    if (most > PART_BYTES) yield Buffer.from(text);
    else used += part.write(text, used);
  }
  yield part.subarray(0, used);
}

/** All bytes of the main file on disk. The last line of one that names others has its revision and the hash of the rest. */
export function* bytesOnDisk(main: Rendered, folder: string): Generator<Buffer, void> {
  if (othersOf(main).length === 0) return yield* mainParts(main, folder, 'on-disk');
  const hash = createHash('sha256');
  let last: number | undefined;
  for (const part of mainParts(main, folder, 'on-disk')) {
    hash.update(part);
    last = part.at(-1) ?? last;
    yield part;
  }
  const end = Buffer.from(last === 0x0a ? '' : '\n');
  hash.update(end);
  yield Buffer.from(`${end}# revision ${revisionOf(main)} of ${hash.digest('hex')}\n`);
}

/** The last line of a main file that names others. */
const trailer = /\n# revision ([0-9a-f]{32}) of ([0-9a-f]{64})\n$/;
const TRAILER_BYTES = 128;

/** The revision of a main file: that of its last line, unless the file was edited since; otherwise the hash of its bytes. */
export function revisionIn(bytes: Buffer): { readonly revision: Revision; readonly sha256: string } {
  const end = bytes.subarray(Math.max(0, bytes.length - TRAILER_BYTES)).toString('latin1');
  const [line = '', revision, sha256OfRest] = trailer.exec(end) ?? [];
  const start = revision === undefined ? 0 : bytes.length - line.length + 1;
  const hash = createHash('sha256').update(bytes.subarray(0, start));
  const isWhole = revision !== undefined && hash.copy().digest('hex') === sha256OfRest;
  const sha256 = hash.update(bytes.subarray(start)).digest('hex');
  return { revision: isWhole ? revision : sha256, sha256 };
}
