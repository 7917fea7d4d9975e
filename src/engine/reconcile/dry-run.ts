import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../apply/configuration-check.ts';
import { sha256Of } from '../apply/file-set.ts';
import { MAX_FOUND_BYTES } from '../apply/limits.ts';
import { codeOf, messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import type { Effect } from './effect.ts';
import type { RenderResult } from './proposal.ts';

/** What a product's monitors would do on this node, and what that costs. */
export interface DryRun {
  readonly files: readonly ProposedFile[];
  readonly effects: readonly Effect[];
  /** Connections through this node; undefined if the product has none or their number is unknown. */
  readonly sessions?: number | undefined;
  /** What could not be examined. */
  readonly unknowns: readonly string[];
}

/** A program's current and proposed configuration. */
export interface ProposedFile {
  readonly program: string;
  /** Its path on the node. */
  readonly path: string;
  /** Undefined if there is no file yet. */
  readonly before: string | undefined;
  /** Undefined if nothing could be rendered. */
  readonly after: string | undefined;
  readonly state:
    | { readonly kind: 'same' | 'differs' }
    /** The file is up to date, but the program runs on another configuration. */
    | { readonly kind: 'not-served' }
    /** The file would stay as it is. `detail` is the program's own message. */
    | { readonly kind: 'refused'; readonly message: string; readonly detail: string }
    | { readonly kind: 'unknown'; readonly reason: string };
  /** Remarks for the reader. */
  readonly notes: readonly string[];
}

/** A monitor's pass without its second half. */
export interface Trial {
  readonly proposal: { readonly kind: 'unknown' } | RenderResult;
  readonly check: ConfigurationCheck;
  /** Hash of the configuration that the program runs on, if it reports one. */
  readonly servedSha256: string | undefined;
  /** For the reader; if nothing is known, why. */
  readonly remarks: readonly string[];
}

/** Compares and checks what a monitor proposes, and applies nothing. `at` is the path for this process. Never rejects. */
export async function dryRunFile(
  { at, ...file }: Pick<ProposedFile, 'program' | 'path'> & { readonly at: string },
  opened: Promise<Trial>,
): Promise<ProposedFile> {
  try {
    const [before, trial] = await Promise.all([textOf(at), opened]);
    return { ...file, before, ...(await compared(before, trial)) };
  } catch (error) {
    return { ...file, before: undefined, ...unknown(messageOf(error)) };
  }
}

type Comparison = Omit<ProposedFile, 'program' | 'path' | 'before'>;

function unknown(reason: string): Comparison {
  return { after: undefined, notes: [], state: { kind: 'unknown', reason } };
}

async function compared(before: string | undefined, trial: Trial): Promise<Comparison> {
  const { proposal, servedSha256, remarks: notes } = trial;
  if (proposal.kind === 'unknown') return unknown(notes.join('; '));
  if (proposal.kind === 'refused') return { after: undefined, notes, state: { ...proposal, detail: '' } };
  const { text: after } = proposal.rendered;
  if (before !== after) return { after, notes, state: stateOf(await checked(after, trial.check)) };
  const isServed = servedSha256 === undefined || servedSha256 === sha256Of(after);
  return { after, notes, state: { kind: isServed ? 'same' : 'not-served' } };
}

/** Whether the program would run on what is proposed. */
export function isTaken({ state }: ProposedFile): boolean {
  return state.kind === 'same' || state.kind === 'differs' || state.kind === 'not-served';
}

/** Undefined if there is no such file. Throws if it may not be read. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const { bytes } = await readRegularFile(path, { MAX_FOUND_BYTES });
    return bytes.toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function stateOf(verdict: CheckOutcome): ProposedFile['state'] {
  switch (verdict.kind) {
    case 'valid':
      return { kind: 'differs' };
    case 'invalid':
      return { ...verdict, kind: 'refused' };
    case 'impossible':
      return { kind: 'unknown', reason: verdict.message };
  }
}

async function checked(text: string, check: ConfigurationCheck): Promise<CheckOutcome> {
  const dir = await mkdtemp(join(tmpdir(), 'hawser-plan-'));
  try {
    const path = join(dir, 'candidate');
    await writeFile(path, text, { mode: 0o600 });
    return await check(path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
