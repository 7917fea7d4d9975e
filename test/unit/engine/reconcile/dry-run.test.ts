import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CheckOutcome } from '../../../../src/engine/apply/configuration-check.ts';
import { sha256Of } from '../../../../src/engine/apply/file-set.ts';
import { dryRunFile, type Trial } from '../../../../src/engine/reconcile/dry-run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-dry-run-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Of a program whose file says `old`. */
async function stateOf(given: Partial<Trial> & { readonly verdict?: CheckOutcome }) {
  const at = join(dir, 'p.cfg');
  writeFileSync(at, 'old');
  const checked: string[] = [];
  const trial: Trial = {
    proposal: { kind: 'rendered', rendered: { text: 'new', mode: 0o644 } },
    check: async (path) => {
      checked.push(readFileSync(path, 'utf8'));
      return given.verdict ?? { kind: 'valid' };
    },
    ...{ servedSha256: sha256Of('old'), remarks: ['a remark'] },
    ...given,
  };
  const file = await dryRunFile({ program: 'p', path: '/etc/p.cfg', at }, Promise.resolve(trial));
  expect(readdirSync(dir)).toEqual(['p.cfg']);
  expect(readFileSync(at, 'utf8')).toBe('old');
  return { ...file, checked };
}

const rendered = (text: string) => ({ kind: 'rendered', rendered: { text, mode: 0o644 } }) as const;

test('another text is checked by the program, and changes no file', async () => {
  expect(await stateOf({})).toEqual({
    ...{ program: 'p', path: '/etc/p.cfg', before: 'old', after: 'new', notes: ['a remark'] },
    ...{ state: { kind: 'differs' }, checked: ['new'] },
  });
});

test('the same text needs no check, whether the program runs on it or not', async () => {
  const proposal = rendered('old');
  expect(await stateOf({ proposal })).toMatchObject({ state: { kind: 'same' }, checked: [] });
  expect(await stateOf({ proposal, servedSha256: undefined })).toMatchObject({ state: { kind: 'same' } });
  expect(await stateOf({ proposal, servedSha256: sha256Of('other') })).toMatchObject({
    ...{ state: { kind: 'not-served' }, after: 'old' },
  });
});

test("a refusal has the program's words, and one that could not be asked for is unknown", async () => {
  const verdict = { kind: 'invalid', message: 'refused', detail: 'line 3' } as const;
  expect((await stateOf({ verdict })).state).toEqual({ ...verdict, kind: 'refused' });
  expect((await stateOf({ verdict: { kind: 'impossible', message: 'no program' } })).state).toEqual({
    ...{ kind: 'unknown', reason: 'no program' },
  });
});

test('what cannot be rendered leaves the file as it is', async () => {
  const proposal = { kind: 'refused', message: 'no template' } as const;
  expect(await stateOf({ proposal })).toMatchObject({
    ...{ after: undefined, state: { kind: 'refused', message: 'no template', detail: '' } },
  });
});

test('where nothing is known to serve, the remarks say why', async () => {
  expect(await stateOf({ proposal: { kind: 'unknown' } })).toMatchObject({
    ...{ after: undefined, notes: [], state: { kind: 'unknown', reason: 'a remark' } },
  });
});

test('a monitor that cannot be opened is unknown, and so is a file that cannot be read', async () => {
  const place = { program: 'p', path: '/etc/p.cfg' };
  const opened = Promise.reject(new Error('no kubeconfig'));
  expect((await dryRunFile({ ...place, at: join(dir, 'none') }, opened)).state).toEqual({
    ...{ kind: 'unknown', reason: 'no kubeconfig' },
  });
  const trial = Promise.resolve({
    ...{ proposal: rendered('new'), servedSha256: undefined, remarks: [] },
    check: async () => ({ kind: 'valid' }) as const,
  });
  expect((await dryRunFile({ ...place, at: dir }, trial)).state).toMatchObject({
    ...{ kind: 'unknown', reason: 'it is a directory' },
  });
});

test('a FIFO in the place of the file is unknown at once: `hawser plan` waited for its writer', async () => {
  const at = join(dir, 'p.cfg');
  execFileSync('mkfifo', [at]);
  const trial: Trial = {
    proposal: rendered('new'),
    check: async () => ({ kind: 'valid' }),
    ...{ servedSha256: undefined, remarks: [] },
  };
  const file = await dryRunFile({ program: 'p', path: '/etc/p.cfg', at }, Promise.resolve(trial));
  expect(file.state).toEqual({ kind: 'unknown', reason: expect.stringContaining('it is no regular file') });
});
