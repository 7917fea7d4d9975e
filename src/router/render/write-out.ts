import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../../engine/config/check.ts';
import { removeFolder } from '../../engine/config/files-folder.ts';
import { forEachAtOnce } from '../../engine/config/for-each-at-once.ts';
import { mainParts } from '../../engine/config/layout.ts';
import {
  isSetFileName,
  modeOf,
  mustBeSet,
  othersOf,
  type Rendered,
  SET_FOLDER,
} from '../../engine/config/set.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';

const MAIN_FILE = 'haproxy.cfg';

/** Lists the written files, one per line, so that files of other programs in the folder are never removed. */
const LIST_FILE = '.written-by-hawser';
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/**
 * Writes a set into a folder, the main file last. Then it removes files of the previous set that this set does not have, since they may be keys of
 * deleted routes. Other files in the folder stay.
 */
export async function writeOut(folder: string, rendered: Rendered): Promise<void> {
  mustBeSet(rendered);
  const mode = rendered.mode & 0o777;
  const names = othersOf(rendered).map(({ name }) => name);
  const before = await readList(folder);
  const folders = new Set(names.map((name) => dirname(join(folder, name))));
  for (const each of [folder, ...folders]) await mkdir(each, { recursive: true });
  // Both lists together, so that after an interruption the next run still has every file in its list.
  await writeList(folder, [...new Set([...before, ...names])]);
  await forEachAtOnce(othersOf(rendered), async (file) => {
    await writeFileAtomically(join(folder, file.name), file.content, { mode: modeOf(file, mode) });
  });
  await writeFileAtomically(join(folder, MAIN_FILE), mainParts(rendered, folder), { mode });
  const current = new Set(names);
  for (const name of before) if (!current.has(name)) await rm(join(folder, name), { force: true });
  await writeList(folder, names);
}

/**
 * Writes a set into a new folder for a check that reads it at once. Nothing is synced to disk: for 10,000 certificates that would take longer than
 * the check.
 */
export async function writeTrial(folder: string, rendered: Rendered): Promise<void> {
  mustBeSet(rendered);
  const others = othersOf(rendered);
  const folders = new Set(others.map(({ name }) => dirname(join(folder, name))));
  for (const each of folders) await mkdir(each, { recursive: true, mode: 0o700 });
  await forEachAtOnce(others, (file) =>
    writeFile(join(folder, file.name), file.content, { mode: 0o600, flag: 'wx' }),
  );
  const text = rendered.text.replaceAll(SET_FOLDER, () => folder);
  await writeFile(join(folder, MAIN_FILE), text, { mode: 0o600, flag: 'wx' });
}

async function readList(folder: string): Promise<readonly string[]> {
  try {
    const { bytes } = await readRegularFile(join(folder, LIST_FILE), { MAX_LIST_BYTES });
    return bytes.toString('utf8').split('\n').filter(isSetFileName);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function writeList(folder: string, names: readonly string[]): Promise<void> {
  const content = names.map((name) => `${name}\n`).join('');
  await writeFileAtomically(join(folder, LIST_FILE), content, { mode: 0o600 });
}

/** A temporary folder in which a set is validated, apart from the served files. Disposing it removes the folder. */
interface TrialFolder extends AsyncDisposable {
  readonly path: string;
}

const PREFIX = 'hawser-trial-';
/** Twice the maximum duration of a check. */
const STALE_MS = 120_000;

/** Also removes folders of killed routers: they hold private keys, usually in a tmpfs. Throws errors of the file system. */
export async function openTrialFolder(parent = tmpdir(), nowMs = Date.now()): Promise<TrialFolder> {
  for (const name of await readdir(parent))
    if (name.startsWith(PREFIX)) await removeIfOld(join(parent, name), nowMs);
  const path = await mkdtemp(join(parent, PREFIX));
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

/**
 * Writes a set into a temporary folder and validates it. The outcome is `impossible` if the files cannot be written. Rejects only when `signal`
 * aborts, or because of a bug.
 */
export async function checkTrial(
  rendered: Rendered,
  check: ConfigurationCheck,
  signal?: AbortSignal,
): Promise<CheckOutcome> {
  try {
    await using folder = await openTrialFolder();
    await writeTrial(folder.path, rendered);
    return await check(join(folder.path, MAIN_FILE), signal);
  } catch (error) {
    if (signal?.aborted !== true && codeOf(error) === undefined) throw error;
    return { kind: 'impossible', message: messageOf(error) };
  }
}

async function removeIfOld(path: string, nowMs: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && nowMs - found.mtimeMs >= STALE_MS) await removeFolder(path);
}
