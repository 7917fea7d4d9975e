import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApplierOptions } from '../../../../src/engine/apply/applier.ts';
import type { Difference } from '../../../../src/engine/apply/bring-into-service.ts';
import { SET_FOLDER, sha256Of } from '../../../../src/engine/apply/file-set.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
const changes = [{ kind: 'server', server: 'b/s', wanted: null }];
const [before, after] = [goodText(1001), goodText(1002)];
const apply = `apply ${JSON.stringify({ from: sha256Of(before), to: sha256Of(after), checked: true, changes })}`;
/** Of a supervisor that makes changes. */
const able = { ...serving(before), changes: { made: 0 } };
const made = { ok: true, generation: 1, tookMs: 5, atRunTime: true } as const;

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** An applier that has brought `before` into service, and what was asked for since. */
async function begun(difference: Difference = { kind: 'runtime', changes }) {
  const applier = scene.applier({ difference: () => difference, statusTimeoutMs: 300, reloadTimeoutMs: 500 });
  await applier.apply(before, signal);
  scene.requests.length = 0;
  return applier;
}

test('a supervisor that makes changes is asked for one, after the file was written', async () => {
  scene.answers.status = able;
  const applier = await begun();
  scene.answers.reload = made;
  expect(await applier.apply(after, signal)).toMatchObject({ kind: 'reloaded', atRunTime: true });
  expect(scene.requests.filter((line) => line !== 'status')).toEqual([apply]);
  scene.requests.length = 0;
  expect(await applier.apply(after, signal)).toEqual({ kind: 'unchanged' });
  expect(scene.requests).toEqual([]);
});

test('a supervisor that reloaded instead is not reported as a runtime update', async () => {
  scene.answers.status = able;
  const applier = await begun();
  expect(await applier.apply(after, signal)).not.toHaveProperty('atRunTime');
});

test('an older supervisor, which does not count changes, is asked for a reload', async () => {
  scene.answers.status = serving(before);
  const applier = await begun();
  expect(await applier.apply(after, signal)).toMatchObject({ kind: 'reloaded' });
  expect(scene.requests.filter((line) => line !== 'status')).toEqual(['reload']);
});

test('a change that cannot be made at runtime is a reload with its reason', async () => {
  scene.answers.status = able;
  const applier = await begun({ kind: 'reload', what: 'section-added', reason: 'the section is new' });
  expect(await applier.apply(after, signal)).toMatchObject({
    kind: 'reloaded',
    what: 'section-added',
    reason: 'the section is new',
  });
  expect(scene.requests).toEqual(['reload']);
});

test('a reload that was not made is asked for again', async () => {
  scene.answers.status = able;
  const applier = await begun({ kind: 'reload', what: 'section-added', reason: 'the section is new' });
  scene.answers.reload = { ok: false, stage: 'stop', message: 'stopping' };
  expect(await applier.apply(after, signal)).toMatchObject({ kind: 'unreachable' });
  expect(await applier.apply(after, signal)).toMatchObject({ kind: 'unreachable' });
  expect(scene.requests.filter((line) => line !== 'status')).toEqual(['reload', 'reload']);
});

test('a change refused at runtime is a reload with that reason', async () => {
  scene.answers.status = able;
  const applier = await begun();
  scene.answers.reload = { ok: true, generation: 2, tookMs: 5, refused: 'No such server.' };
  expect(await applier.apply(after, signal)).toMatchObject({ what: 'refused', reason: 'No such server.' });
});

test("the previous set's files are compared if known, and the supervisor receives the new paths", async () => {
  scene.answers.status = able;
  const compared: unknown[] = [];
  const options: Partial<ApplierOptions> = {
    difference: (one, other) => {
      compared.push(one.others, other.others);
      return { kind: 'nothing' };
    },
  };
  const set = (content: string) => ({
    text: `${before}# ${SET_FOLDER}/list\n`,
    mode: 0o644,
    others: [{ name: 'list', content }],
  });
  const applier = scene.applier(options);
  for (const content of ['one', 'two']) await applier.applySet(set(content), signal);
  expect(compared).toEqual([set('one').others, set('two').others]);
  expect(scene.requests.at(-1)).toContain('"set":2,"changes":[]');
  await scene.applier(options).applySet(set('three'), signal);
  expect(compared.slice(2)).toEqual([undefined, set('three').others]);
});

test('a change that is longer than a line may be is a reload', async () => {
  scene.answers.status = able;
  const applier = await begun({ kind: 'runtime', changes: [{ text: 'x'.repeat(270_000) }] });
  await applier.apply(after, signal);
  expect(scene.requests.filter((line) => line !== 'status')).toEqual(['reload']);
});

test('a supervisor that cannot read the change is asked for a reload', async () => {
  scene.answers.status = able;
  const applier = await begun();
  scene.answers.reload = { ok: false, stage: 'protocol', message: 'invalid request' };
  await applier.apply(after, signal);
  expect(scene.requests.filter((line) => line !== 'status')).toEqual([apply, 'reload']);
});

test('a supervisor of another version that takes the place of one is asked what it knows', async () => {
  scene.answers.status = able;
  const applier = await begun();
  await scene.stopServing();
  await scene.serve();
  scene.answers.status = serving(before);
  await applier.apply(after, signal);
  expect(scene.requests).toEqual(['status', 'reload']);
});
