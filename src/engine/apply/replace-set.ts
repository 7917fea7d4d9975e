import { createHash } from 'node:crypto';
import { afterReload } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import type { Supervisor } from './ask-supervisor.ts';
import { bringIntoService, type Compare, reload, type Way, wayFrom } from './bring-into-service.ts';
import { checkAfter, type Pending } from './check-after.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import type { Rendered } from './file-set.ts';
import type { ForeignFile } from './foreign-file.ts';
import type { KnownFiles } from './known-files.ts';
import { keepModes, type LiveFile } from './live-file.ts';
import { type LookAfter, lookAfter } from './look-after.ts';
import { BACK_MS, type MainFile, type PlacedSet, readMainFile, stampAt } from './main-file.ts';
import { removeOldSets } from './old-sets.ts';
import { putInPlace, syncSet } from './put-in-place.ts';
import { holdsAll, isInPlace, isKnownOther, type StagedSet, stageSet } from './set-folder.ts';
import type { SpareSet } from './spare-set.ts';

/**
 * The other files of a set that this process put in place are taken to be as it left them for so long: of thousands, each look costs a question
 * to the system. What HAProxy can be told of never waits for a look: where one is due, it follows.
 */
const LOOK_EVERY_MS = 5_000;

/** How a set comes into place and into service. */
export interface ReplaceOptions {
  /** What HAProxy itself says about a file. */
  readonly check: ConfigurationCheck;
  /** How to come from the text in place to another one; without it every change is a reload. */
  readonly difference?: Compare;
  /**
   * Where the supervisor makes changes, a file of ours is followed by one that is checked after HAProxy has got it: clients of a large
   * configuration do not wait for the check. One that HAProxy has started with needs none. Left out: every file is checked before it is put
   * in place.
   */
  readonly checksAfter?: boolean;
  /** A file that hawser did not write was kept beside its place, and is replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** What is known of the files in place, and of who serves them. */
export interface Placing extends Pending {
  readonly supervisor: Supervisor;
  readonly known: KnownFiles;
  readonly spare: SpareSet;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Hash of the main file that is in place and known to be served. */
  served: string | undefined;
  /** The set that was put in place last. */
  inPlace: PlacedSet | undefined;
  /** When each file of it was looked at, or the first of all was written: monotonic milliseconds. */
  lookedAtMs: number;
}

export interface Replacement {
  readonly file: LiveFile;
  readonly rendered: Rendered;
  readonly options: ReplaceOptions;
  readonly memory: Placing;
  readonly signal: AbortSignal;
  /** False: every file of the set in place is looked at first. */
  readonly mayTrust: boolean;
  /** What comes back where this set is refused. Left out: what lies in place. */
  readonly back?: MainFile | undefined;
}

/** Files of the set were changed by hand, and it showed only now: what was said of the set was said of others. Never where no file is trusted. */
interface Damaged {
  readonly kind: 'damaged';
  /** What of ours lay there before, if this set may lie there now. */
  readonly back: MainFile | undefined;
}

/** Puts a set in place, unless it is there, and brings it into service. */
export async function replaceSet(parts: Replacement & { readonly mayTrust: false }): Promise<ApplyOutcome>;
export async function replaceSet(parts: Replacement): Promise<ApplyOutcome | Damaged>;
export async function replaceSet(parts: Replacement): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, memory, mayTrust } = parts;
  const main = await readMainFile(file, memory.inPlace);
  const isOther = main !== undefined && isKnownOther(main, rendered);
  const isFresh = mayTrust && memory.now() - memory.lookedAtMs < LOOK_EVERY_MS;
  // HAProxy is still to read what is not served: it is looked at first.
  const isTrusted = isFresh && memory.served === main?.sha256;
  const isThere =
    main !== undefined && !isOther && (await isInPlace(main, rendered, memory.known, isTrusted));
  if (isThere) return await serveInPlace(parts, main, isTrusted);
  return await replaceBy(parts, main, { isOther, isFresh });
}

async function serveInPlace(
  parts: Replacement,
  main: MainFile,
  isTrusted: boolean,
): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, options, memory, signal } = parts;
  await keepModes(file, rendered.mode);
  const { sha256, folder } = main;
  const stamp = memory.inPlace?.sha256 === sha256 ? memory.inPlace.stamp : undefined;
  const placed = { sha256, folder, rendered, stamp };
  memory.inPlace = placed;
  if (!isTrusted) memory.lookedAtMs = memory.now();
  if (memory.unchecked !== sha256 && (await isServed(sha256, memory, signal))) {
    fillSpare(parts, placed);
    return { kind: 'unchanged' };
  }
  const staged = { parts: () => [main.bytes()], folder, sync: async () => undefined };
  const looks = lookAfter(options.check, undefined);
  return await serve(parts, { before: ownFile(main), staged, placed, way: reload, isAhead: false, looks });
}

/** HAProxy may have been started since a file was edited by hand. Nothing says so: the main file is the same. */
const readAnew: Way = {
  ...{ kind: 'reload', what: 'files-changed', reason: 'a file of the set was edited by hand' },
};

interface Trust {
  /** The set in place is known, and is another one. */
  readonly isOther: boolean;
  /** Its files were looked at not long ago. */
  readonly isFresh: boolean;
}

async function replaceBy(
  parts: Replacement,
  main: MainFile | undefined,
  { isOther, isFresh }: Trust,
): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, options, memory, signal, mayTrust } = parts;
  const { known, spare } = memory;
  const before = ownFile(main);
  const found = isOther && before?.rendered ? options.difference?.(before.rendered, rendered) : undefined;
  const isTold = mayTrust && found !== undefined && found.kind !== 'reload';
  const isTrusted = isOther && (isFresh || isTold);
  const staged = await stageSet(file, main, rendered, { known, spare, isTrusted });
  const isWhole = async (): Promise<boolean> => {
    const found = staged.folder === undefined || (await holdsAll(staged.folder, rendered, known));
    memory.lookedAtMs = found ? memory.now() : Number.NEGATIVE_INFINITY;
    return found;
  };
  const looks = lookAfter(options.check, isTrusted ? isWhole : undefined);
  const told =
    before === undefined ? reload : wayFrom({ before, rendered, staged, found }, options.difference);
  const way = told.kind === 'change' && staged.isEdited === true ? readAnew : told;
  const isAhead =
    options.checksAfter === true && before !== undefined && (await memory.supervisor.makesChanges(signal));
  const timeMs = Date.now() - BACK_MS;
  const hash = createHash('sha256');
  const check = isAhead ? undefined : looks.check;
  const isKnown = before?.rendered !== undefined;
  const putting = { ...options, mode: rendered.mode, check, timeMs, isKnown, hash };
  const refusal = await putInPlace(file, staged, putting, signal);
  if (looks.isDamaged()) return { kind: 'damaged', back: undefined };
  if (refusal !== undefined) return refusal;
  if (!isTrusted) memory.lookedAtMs = memory.now();
  const sha256 = hash.digest('hex');
  const placed = { sha256, folder: staged.folder, rendered, stamp: await stampAt(file.path, timeMs) };
  const mustLook = isTrusted && !isFresh;
  const back = parts.back ?? before;
  return await serve(parts, { before: back, staged, placed, way, isAhead, looks, mustLook });
}

/** What lies in place by now. */
interface Placed {
  /** What of ours lay there. */
  readonly before: MainFile | undefined;
  readonly staged: StagedSet;
  readonly placed: PlacedSet;
  readonly way: Way;
  /** It is checked once HAProxy has got it. */
  readonly isAhead: boolean;
  readonly looks: LookAfter;
  /** Once it is served, each file is looked at. */
  readonly mustLook?: boolean;
}

async function serve(
  parts: Replacement,
  { before, staged, placed, way, isAhead, looks, mustLook }: Placed,
): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, memory, signal } = parts;
  const { sha256 } = placed;
  // From here on no text is known to be served until the supervisor confirms one.
  memory.served = undefined;
  if (isAhead) memory.unchecked = sha256;
  const wanted = { sha256, isChecked: !isAhead };
  const brought = await bringIntoService(way, wanted, memory.supervisor, signal);
  if (isAhead) await syncSet(file, staged);
  if (mustLook) await looks.look();
  // Before the check, which takes longer.
  fillSpare(parts, placed);
  const outcome = looks.isDamaged()
    ? brought
    : await checkAfter(file, brought, sha256, looks.check, memory, signal);
  if (looks.isDamaged()) {
    memory.inPlace = placed;
    memory.unchecked = undefined;
    return { kind: 'damaged', back: before };
  }
  // A refused file gives way to the one of before, which is known still.
  if (outcome.kind !== 'rejected') memory.inPlace = placed;
  if (outcome.kind === 'reloaded') memory.served = sha256;
  const settled = await afterReload(file, { staged, sha256, before, mode: rendered.mode }, outcome);
  // What runs was told of a file that is not there any more.
  if (brought.kind === 'reloaded' && outcome.kind === 'rejected') await memory.supervisor.reload(signal);
  await removeOldSets(file);
  return settled;
}

/** A file that hawser did not write is not to come back where ours is refused. */
function ownFile(main: MainFile | undefined): MainFile | undefined {
  return main?.isOwn === true ? main : undefined;
}

/** Only what can be told of is so fast that it would wait for the files. */
function fillSpare({ file, options, memory, signal }: Replacement, { folder, rendered }: PlacedSet): void {
  if (options.difference !== undefined && folder !== undefined)
    memory.spare.fill(file, folder, rendered, signal);
}

/** A supervisor that started with this file needs no reload, so its status is asked first. */
async function isServed(sha256: string, memory: Placing, signal: AbortSignal): Promise<boolean> {
  if (memory.served === sha256) return true;
  if ((await memory.supervisor.servedSha256(signal)) !== sha256) return false;
  memory.served = sha256;
  return true;
}
