import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationCheck } from '../../engine/apply/configuration-check.ts';

/** A program's current and proposed configuration. */
export interface ProposedFile {
  readonly program: 'haproxy' | 'keepalived';
  /** Its path on the node. */
  readonly path: string;
  /** Undefined if there is no file yet. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly state:
    | { readonly kind: 'same' | 'differs' }
    /** The file is up to date, but the program runs on another configuration. */
    | { readonly kind: 'not-served' }
    /** The file would stay as it is. `detail` is the program's own message. */
    | { readonly kind: 'refused'; readonly message: string; readonly detail: string }
    | { readonly kind: 'unknown'; readonly reason: string };
}

/** Compares the rendered text with the current file. If they differ, the real program checks the rendered one. */
export async function propose(
  file: Pick<ProposedFile, 'program' | 'path' | 'before'>,
  after: string,
  servedSha256: string | undefined,
  check: ConfigurationCheck,
): Promise<ProposedFile> {
  if (file.before === after) {
    const isServed = servedSha256 === undefined || servedSha256 === sha256(after);
    return { ...file, after, state: { kind: isServed ? 'same' : 'not-served' } };
  }
  const verdict = await checked(after, check);
  switch (verdict.kind) {
    case 'valid':
      return { ...file, after, state: { kind: 'differs' } };
    case 'invalid': {
      const { message, detail } = verdict;
      return { ...file, after, state: { kind: 'refused', message, detail } };
    }
    case 'impossible':
      return { ...file, after, state: { kind: 'unknown', reason: verdict.message } };
  }
}

export function unknownFile(
  file: Pick<ProposedFile, 'program' | 'path' | 'before'>,
  reason: string,
): ProposedFile {
  return { ...file, after: undefined, state: { kind: 'unknown', reason } };
}

export function refusedFile(
  file: Pick<ProposedFile, 'program' | 'path' | 'before'>,
  message: string,
): ProposedFile {
  return { ...file, after: undefined, state: { kind: 'refused', message, detail: '' } };
}

async function checked(text: string, check: ConfigurationCheck) {
  const dir = await mkdtemp(join(tmpdir(), 'hawser-plan-'));
  try {
    const path = join(dir, 'candidate');
    await writeFile(path, text, { mode: 0o600 });
    return await check(path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
