import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isUnchecked } from '../../../../src/engine/apply/apply-outcome.ts';
import type { Compare } from '../../../../src/engine/apply/bring-into-service.ts';
import type { ConfigurationCheck } from '../../../../src/engine/apply/configuration-check.ts';
import { sha256Of } from '../../../../src/engine/apply/file-set.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
const changes = [{ kind: 'server', server: 'b/s', wanted: null }];
const [before, after, next] = [goodText(1001), goodText(1002), goodText(1003)];
const orderOf = (from: string, to: string, checked: boolean, made: readonly object[] = changes) =>
  `apply ${JSON.stringify({ from: sha256Of(from), to: sha256Of(to), checked, changes: made })}`;
const keep = orderOf(after, after, true, []);
const byCheck = { kind: 'rejected', by: 'check', message: 'no' } as const;
const byReload = { kind: 'rejected', by: 'reload', message: 'it ended with exit code 1' } as const;
const made = { ok: true, generation: 1, tookMs: 5, atRunTime: true } as const;

let scene: ApplyScene;
let verdict: 'valid' | 'invalid' | 'impossible';
beforeEach(async () => {
  verdict = 'valid';
  difference = { kind: 'runtime', changes };
  compared = [];
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** What was asked, and checked, in this order. */
const steps = (): readonly string[] =>
  scene.requests
    .filter((line) => line !== 'status')
    .map((line) => (line.includes('"ahead"') ? 'tell' : line.includes('"from":"told-') ? 'said' : line));
const check: ConfigurationCheck = async (path) => {
  const text = readFileSync(path, 'utf8');
  scene.requests.push(`check ${[before, after, next].indexOf(text)}`);
  if (text !== after || verdict === 'valid') return { kind: 'valid' };
  return verdict === 'impossible'
    ? { kind: 'impossible', message: 'no time' }
    : { kind: 'invalid', message: 'no', detail: '' };
};
const lastGood = () => readFileSync(`${scene.configPath}.last-good`, 'utf8');
let difference: ReturnType<Compare>;
/** The previous files, as they were compared. */
let compared: unknown[];
const compare: Compare = (found) => {
  compared.push(found);
  return difference;
};
const applier = () =>
  scene.applier({
    ...{ check, checksAfter: true, difference: compare },
    ...{ statusTimeoutMs: 300, reloadTimeoutMs: 500 },
  });
const runs = (text: string) => {
  scene.answers.status = { ...serving(text), changes: { made: 0 } };
};

/** An applier that has deployed `before`, with a supervisor that makes runtime updates. */
async function begun() {
  runs(before);
  const first = applier();
  await first.apply(before, signal);
  scene.answers.reload = made;
  scene.requests.length = 0;
  return first;
}

test('the file is checked once the change is made, and only then it may be kept as the last good one', async () => {
  const first = await begun();
  expect(await first.apply(after, signal)).toMatchObject({ kind: 'reloaded', atRunTime: true });
  expect(steps()).toEqual(['tell', 'said', 'check 1', keep]);
  expect(lastGood()).toBe(after);
});

test('if HAProxy refuses the file, the previous one is restored and loaded', async () => {
  const first = await begun();
  verdict = 'invalid';
  expect(await first.apply(after, signal)).toMatchObject({ kind: 'rejected', by: 'check' });
  expect(steps()).toEqual(['tell', 'said', 'check 1', 'reload']);
  expect([readFileSync(scene.configPath, 'utf8'), lastGood()]).toEqual([before, before]);
});

test('while HAProxy does not answer, nothing else happens before the file is validated', async () => {
  const first = await begun();
  verdict = 'impossible';
  expect(await first.apply(after, signal)).toEqual({ kind: 'failed', message: 'no time' });
  runs(after);
  expect(await first.apply(next, signal)).toEqual({ kind: 'failed', message: 'no time' });
  expect(steps()).toEqual(['tell', 'said', 'check 1', 'check 1']);
  expect(lastGood()).toBe(before);
  verdict = 'valid';
  expect(await first.apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(steps().slice(4)).toEqual(['check 1', keep]);
  expect(lastGood()).toBe(after);
});

test('a change of which no answer came is checked before it counts as served', async () => {
  const first = await begun();
  scene.answers.reload = { ok: false, stage: 'stop', message: 'stopping' };
  expect(await first.apply(after, signal)).toMatchObject({ kind: 'unreachable', isUnchecked: true });
  runs(after);
  scene.answers.reload = made;
  expect(await first.apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(steps()).toEqual(['tell', 'reload', 'check 1', keep]);
});

test('a file refused only once a supervisor answers was never reported good', async () => {
  const first = await begun();
  scene.answers.reload = { ok: false, stage: 'stop', message: 'stopping' };
  verdict = 'invalid';
  expect(isUnchecked(await first.apply(after, signal))).toBe(true);
  expect(await first.apply(after, signal)).toMatchObject(byCheck);
  verdict = 'valid';
  expect(isUnchecked(await first.apply(next, signal))).toBe(true);
  // It is checked now, and nobody answers still.
  const checked = await first.apply(next, signal);
  expect([checked.kind, isUnchecked(checked)]).toEqual(['unreachable', false]);
});

test('a reload that failed says nothing about a file whose check could not be made', async () => {
  const first = await begun();
  difference = { kind: 'reload', what: 'section-added', reason: 'it is new' };
  scene.answers.reload = { ok: false, stage: 'start', message: 'it ended with exit code 1' };
  verdict = 'impossible';
  expect(await first.apply(after, signal)).toMatchObject({ ...byReload, isUnchecked: true });
  const checked = await first.apply(next, signal);
  expect(checked).toMatchObject(byReload);
  expect(isUnchecked(checked)).toBe(false);
});

test('a file that a reload has read needs no validation', async () => {
  const first = await begun();
  scene.answers.reload = { ok: true, generation: 2, tookMs: 5 };
  expect(await first.apply(after, signal)).toMatchObject({ kind: 'reloaded' });
  expect(steps()).toEqual(['tell', 'reload']);
});

test.each([
  ['a file that a reload has read needs no validation', true, 'valid', { kind: 'reloaded' }, [], after],
  [
    'a file that no generation started with is validated, and replaced',
    false,
    'invalid',
    byCheck,
    ['check 1'],
    before,
  ],
  ['if validation accepts it, the start is what failed', false, 'valid', byReload, ['check 1'], before],
  ['a file that cannot be validated is replaced too', false, 'impossible', byReload, ['check 1'], before],
] as const)('%s', async (_, starts, found, outcome, checks, left) => {
  const first = await begun();
  difference = { kind: 'reload', what: 'backends-changed', reason: 'a backend is new' };
  verdict = found;
  scene.answers.reload = starts
    ? { ok: true, generation: 2, tookMs: 5 }
    : { ok: false, stage: 'start', message: 'it ended with exit code 1' };
  expect(await first.apply(after, signal)).toMatchObject(outcome);
  expect(steps()).toEqual(['reload', ...checks]);
  expect([readFileSync(scene.configPath, 'utf8'), lastGood()]).toEqual([left, left]);
});

test('after a refused file, HAProxy receives what differs from the previous one', async () => {
  const first = await begun();
  difference = { kind: 'reload', what: 'backends-changed', reason: 'a backend is new' };
  verdict = 'invalid';
  scene.answers.reload = { ok: false, stage: 'start', message: 'it ended with exit code 1' };
  await first.apply(after, signal);
  difference = { kind: 'runtime', changes };
  scene.answers.reload = made;
  expect(await first.apply(next, signal)).toMatchObject({ kind: 'reloaded', atRunTime: true });
  expect(compared.at(-1)).toEqual({ text: before, mode: 0o640 });
});

test('a new process checks what a killed one left unchecked, and it may be kept', async () => {
  await begun();
  writeFileSync(scene.configPath, after);
  runs(after);
  expect(await applier().apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(steps()).toEqual(['check 1', keep]);
  expect(lastGood()).toBe(after);
  scene.requests.length = 0;
  expect(await applier().apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(steps()).toEqual([]);
});

test.each([
  [
    'the same is wanted',
    after,
    { kind: 'rejected', by: 'check' },
    ['check 1', 'reload', orderOf(before, after, false), 'check 1', 'reload'],
  ],
  [
    'another is wanted',
    next,
    { kind: 'reloaded' },
    ['check 1', 'reload', orderOf(before, next, false), 'check 2'],
  ],
])(
  'a new process puts the last good file back where HAProxy refuses that: %s',
  async (_, text, outcome, asked) => {
    await begun();
    writeFileSync(scene.configPath, after);
    verdict = 'invalid';
    runs(after);
    expect(await applier().apply(text, signal)).toMatchObject(outcome);
    expect(steps().slice(0, asked.length)).toEqual(asked);
    expect(lastGood()).toBe(text === after ? before : next);
    expect(readFileSync(scene.configPath, 'utf8')).toBe(lastGood());
  },
);

test('a refused file for which there is no last good one is not taken for served', async () => {
  writeFileSync(scene.configPath, after);
  verdict = 'invalid';
  runs(after);
  scene.answers.reload = { ok: false, stage: 'check', message: 'no' };
  expect(await applier().apply(after, signal)).toMatchObject({ kind: 'rejected' });
  expect(existsSync(`${scene.configPath}.last-good`)).toBe(false);
});
