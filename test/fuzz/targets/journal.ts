import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { scanJournal } from '../../../src/engine/observe/journal/read-journal.ts';
import { jsonNear, textNear } from '../hostile.ts';
import { attackWith, type Target } from '../target.ts';

const entry = (seq: number) => ({
  v: 1,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  node: 'cp-1',
  program: 'keepalived',
  kind: 'vip',
  event: 'vrrp-state',
  subject: 'API',
  from: 'BACKUP',
  to: 'MASTER',
  reason: 'higher priority',
  facts: { priority: 250, drained: false },
});
const entries = [1, 2, 3, 4].map(entry);
const whole = entries.map((each) => `${JSON.stringify(each)}\n`).join('');
const texts = fc.oneof(
  textNear([whole]),
  fc
    .array(jsonNear(entries), { maxLength: 5 })
    .map((all) => all.map((each) => `${JSON.stringify(each)}\n`).join('')),
);

const check = (path: string) => (text: string) => {
  writeFileSync(path, text);
  const items = [...scanJournal([{ path, program: 'keepalived', firstSeq: 1 }])];
  const written = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
  const lines = items.flatMap((item) => (item.kind === 'line' ? [item.line] : []));
  const faults = items.flatMap((item) => (item.kind === 'fault' ? [item.fault] : []));
  const unreadable = faults.filter(({ problem }) => /incomplete line|not a journal line/.test(problem));
  assert.equal(lines.length + unreadable.length, written);
  for (const { line } of faults) assert.equal(line >= 1 && line <= written, true);
  for (const { at, seq } of lines)
    assert.equal(Number.isFinite(Date.parse(at)) && Number.isSafeInteger(seq), true);
};

export const journal: Target = {
  name: 'journal',
  claim: 'every line of a journal is read or reported as a fault with its place, and no line twice',
  open: async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hawser-fuzz-journal-'));
    return {
      attack: attackWith(texts, check(join(dir, 'keepalived.000000000001.jsonl'))),
      [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true }),
    };
  },
};
