import { createHash } from 'node:crypto';
import { type NamedLimit, overLimit } from '../system/limit.ts';
import { oncePer } from '../system/once-per.ts';
import { isSameList } from '../system/same-list.ts';
import { MAX_CONFIGURATION_BYTES, MAX_SET_BYTES, MAX_SET_FILES } from './limits.ts';

/** A desired configuration: one file, or a main file and the files it names. It is immutable and identified by `revisionOf`. */
export interface Rendered {
  /**
   * The main file. It refers to another file of the set as `SET_FOLDER/NAME`. The first piece may also use NAME alone. `SET_FOLDER` alone is the
   * folder with all files.
   */
  readonly text: string;
  /** The template's mode. The other files get its permission bits. */
  readonly mode: number;
  readonly others?: readonly SetFile[];
  /**
   * The text in pieces, joined only on demand. The first piece has everything but the backends. Every other piece is one backend, which no other
   * piece refers to. An unchanged piece is the same string in the next configuration, which makes comparing cheap.
   */
  readonly pieces?: readonly string[];
}

/** Creates a set whose main file is made of pieces. */
export function setOfPieces(pieces: readonly string[], rest: Pick<Rendered, 'mode' | 'others'>): Rendered {
  return {
    ...rest,
    pieces,
    get text() {
      return pieces.join('');
    },
  };
}

type MainText = Pick<Rendered, 'text' | 'pieces'>;

function isSameText(one: MainText, other: MainText): boolean {
  const pieces = one.pieces;
  const others = other.pieces;
  return pieces !== undefined && others !== undefined ? isSameList(pieces, others) : one.text === other.text;
}

/** A file that the main file names: a map, a list or a certificate. */
export interface SetFile {
  /**
   * Name in the configuration, such as `maps/hosts.map`: components of A-Z a-z 0-9 . _ - without a leading dot. The name on disk also has a digest.
   */
  readonly name: string;
  readonly content: string | Buffer;
  /** The file's mode is 0600, whatever the mode of the main file. */
  readonly secret?: boolean;
  /** Each line begins with the name of another file of the set. */
  readonly namesFiles?: boolean;
}

/** Placeholder in the main file for the absolute path of the folder with the other files. */
export const SET_FOLDER = '@SET_FOLDER@';

export const othersOf = (rendered: Pick<Rendered, 'others'>): readonly SetFile[] => rendered.others ?? [];

/** The permissions of one of the other files. */
export function modeOf(file: SetFile, mode: number): number {
  return file.secret === true ? 0o600 : mode;
}

/** Identifies a configuration. Two sets have the same revision only if all their files are equal. */
export type Revision = string;

const REVISION_CHARACTERS = 32;
/** Hashes of the previous set's pieces. Usually only one piece in ten thousand is new. */
let hashes: ReadonlyMap<string, string> = new Map();

/** The revision of a set, before anything is written. For a main file without others it is the hash of its bytes. */
export const revisionOf: (rendered: Rendered) => Revision = oncePer((rendered) => {
  const others = othersOf(rendered);
  if (others.length === 0) return sha256Of(rendered.text);
  const next = new Map<string, string>();
  const hash = createHash('sha256');
  for (const piece of rendered.pieces ?? [rendered.text]) {
    const digest = hashes.get(piece) ?? sha256Of(piece);
    next.set(piece, digest);
    hash.update(digest);
  }
  hashes = next;
  for (const file of others) hash.update(`\0${file.name}\0${file.secret === true}\0${sha256OfFile(file)}`);
  return hash.digest('hex').slice(0, REVISION_CHARACTERS);
});

/** Hash of the file's content. */
export const sha256OfFile: (file: SetFile) => string = oncePer(({ content }) => sha256Of(content));

export function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export function isSameFile(left: SetFile | undefined, file: SetFile): boolean {
  if (left === undefined || (left.secret === true) !== (file.secret === true)) return false;
  return left.content === file.content || sha256OfFile(left) === sha256OfFile(file);
}

/** Whether both sets have the same other files with the same permissions. */
function hasSameFiles(left: Rendered, rendered: Rendered): boolean {
  const had = othersOf(left);
  const desired = othersOf(rendered);
  const isSame = (each: SetFile, index: number): boolean =>
    had[index] === each || (had[index]?.name === each.name && isSameFile(had[index], each));
  const isSameMode = desired.length === 0 || left.mode === rendered.mode;
  return isSameMode && had.length === desired.length && desired.every(isSame);
}

/**
 * Whether two sets are equal in every file and its permissions. Ignores the permissions of a main file without others. Does not compare bytes where
 * pieces or files are identical objects.
 */
export function isSameSet(one: Rendered, other: Rendered): boolean {
  return one === other || (isSameText(one, other) && hasSameFiles(one, other));
}

/** Throws an error with a code, like those of the file system, if the set is malformed or exceeds a limit. The message names the limit. */
export function mustBeSet(rendered: Rendered): void {
  const others = othersOf(rendered);
  const pieces = rendered.pieces ?? [rendered.text];
  mustBeWithin('the main file has', bytesIn(pieces, MAX_CONFIGURATION_BYTES), 'bytes', {
    MAX_CONFIGURATION_BYTES,
  });
  mustBeWithin('the set has', others.length, 'files', { MAX_SET_FILES });
  const bytes = bytesIn(
    others.map(({ content }) => content),
    MAX_SET_BYTES,
  );
  mustBeWithin('the files of the set have', bytes, 'bytes', { MAX_SET_BYTES });
  if (others.length > 0 && !pieces.some((piece) => piece.includes(SET_FOLDER)))
    throw refusal('EINVAL', `the main file does not name its folder, expected "${SET_FOLDER}" in it`);
  const wrong = others.find(({ name }) => !isSetFileName(name));
  if (wrong !== undefined)
    throw refusal(
      'EINVAL',
      `a file of the set is named ${JSON.stringify(wrong.name)}, expected a relative path`,
    );
}

/** Number of bytes, exact if it may exceed `limit`; otherwise an upper bound that needs no encoding. */
function bytesIn(texts: readonly (string | Buffer)[], limit: number): number {
  const most = texts.reduce((sum, { length }) => sum + 3 * length, 0);
  return most <= limit ? most : texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Whether a file of a set may have this name: it must be relative and stay inside the set's folder. */
export function isSetFileName(name: string): boolean {
  return /^\w[\w.-]*(\/\w[\w.-]*)*$/.test(name);
}

function mustBeWithin(what: string, found: number, unit: string, limit: NamedLimit): void {
  const over = overLimit(found, unit, limit);
  if (over !== undefined) throw refusal('EFBIG', `${what} ${over}`);
}

/** An error with a code, like those of the file system. A deployer reports such an error and goes on. */
export function refusal(code: 'EFBIG' | 'EINVAL', message: string): Error {
  return Object.assign(new Error(message), { code });
}
