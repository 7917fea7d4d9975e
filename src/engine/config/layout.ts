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

/** A file of a set as it is stored on disk. */
export interface PlacedFile {
  readonly file: SetFile;
  /** Path relative to the folder of the set's files. */
  readonly name: string;
  readonly content: string | Buffer;
}

/** The files of a set, keyed by name. Files with equal name and content are stored once on disk, even for different sets. */
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

/** Adds a digest of the content: `certs/a.pem` becomes `certs/a.3fa9….pem`. */
export function nameOnDisk(name: string, sha256: string): string {
  const digest = sha256.slice(0, DIGEST_CHARACTERS);
  return name.replace(/(?:\.\w+)?$/, (extension) => `.${digest}${extension}`);
}

const onDisk = /^(.+)\.[0-9a-f]{16}(\.\w+)?$/;

/** Translates the path of a file on disk to the file's name in the configuration. Returns any other path unchanged. */
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

/** The names on disk that a text mentions, keyed by their names in the configuration. */
export function namesOnDiskIn(text: string): ReadonlyMap<string, string> {
  const names = text.match(/\w[\w./-]*/g)?.filter(isNameOnDisk) ?? [];
  return new Map(names.map((name) => [nameInSet(name), belowFolder(name)]));
}

/** Replaces the names on disk in a program's message by the names in the configuration. */
export function withNamesInSet(words: string): string {
  return words.replace(/[\w./-]+/g, (word) => (isNameOnDisk(word) ? nameInSet(word) : word));
}

/** The folder for the files of the main file at `path`. */
export const filesFolder = (path: string): string => `${path}.files`;

const bareName = /(?<![\w.@/-])(@SET_FOLDER@\/)?(\w[\w./-]*)/g;
const markedName = /@SET_FOLDER@\/(\w[\w./-]*)/g;

/** Replaces the names in a text of a set by the names on disk. `isHead`: also replaces names without `SET_FOLDER`. */
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
 * The bytes of the main file in parts, with each file below `folder` under its name in the set or on disk. Every part reuses one buffer: a new buffer
 * of several megabytes for each change costs more in garbage collection than the rendering.
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

/** All bytes of the main file on disk. If it names other files, its last line has the revision and the hash of the rest. */
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

/** The last line of a main file that names other files. */
const trailer = /\n# revision ([0-9a-f]{32}) of ([0-9a-f]{64})\n$/;
const TRAILER_BYTES = 128;

/** Revision and hash of a main file. The revision is the one in the last line if the hash there matches; otherwise the hash of all bytes. */
export function revisionIn(bytes: Buffer): { readonly revision: Revision; readonly sha256: string } {
  const end = bytes.subarray(Math.max(0, bytes.length - TRAILER_BYTES)).toString('latin1');
  const [line = '', revision, sha256OfRest] = trailer.exec(end) ?? [];
  const start = revision === undefined ? 0 : bytes.length - line.length + 1;
  const hash = createHash('sha256').update(bytes.subarray(0, start));
  const isWhole = revision !== undefined && hash.copy().digest('hex') === sha256OfRest;
  const sha256 = hash.update(bytes.subarray(start)).digest('hex');
  return { revision: isWhole ? revision : sha256, sha256 };
}
