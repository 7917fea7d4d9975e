import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigurationCheck } from '../../../../src/engine/apply/configuration-check.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
const texts = Array.from({ length: 8 }, (_, index) => goodText(1001 + index));
const textOf = (index: number): string => texts[index] ?? '';
const setOf = (index: number) => ({ text: textOf(index), mode: 0o640 });
const made = { ok: true, generation: 1, tookMs: 5, atRunTime: true } as const;

let scene: ApplyScene;
let nowMs: number;
/** Texts that need a reload, and texts that HAProxy refuses. */
let reloads: readonly number[];
let bad: readonly number[];
beforeEach(async () => {
  [nowMs, reloads, bad] = [0, [], []];
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** What was asked, and checked, in this order. */
const steps = (): readonly string[] =>
  scene.requests
    // The file of the runtime update is on disk now.
    .filter((line) => line !== 'status' && !line.includes('"from":"told-'))
    .map((line) => {
      if (line.includes('"ahead"')) return 'tell';
      return line.includes('"checked":true') ? 'keep' : (/^\w+(?: \d)?/.exec(line)?.[0] ?? line);
    });
const there = () => texts.indexOf(readFileSync(scene.configPath, 'utf8'));
const lastGood = () => texts.indexOf(readFileSync(`${scene.configPath}.last-good`, 'utf8'));

/** Ends only when it is ended, or with `release`. */
function heldCheck() {
  let release = Promise.withResolvers<void>();
  const check: ConfigurationCheck = async (path, stop) => {
    const index = texts.indexOf(readFileSync(path, 'utf8'));
    scene.requests.push(`check ${index}`);
    const stopped = new Promise<void>((resolve) => stop?.addEventListener('abort', () => resolve()));
    await Promise.race([release.promise, stopped]);
    stop?.throwIfAborted();
    return bad.includes(index) ? { kind: 'invalid', message: 'no', detail: '' } : { kind: 'valid' };
  };
  return {
    check,
    release: () => release.resolve(),
    hold: () => {
      release = Promise.withResolvers();
    },
  };
}

/** An applier that has deployed the first text, with a supervisor that makes runtime updates. */
async function begun() {
  scene.answers.status = { ...serving(textOf(0)), changes: { made: 0 } };
  const held = heldCheck();
  const applier = scene.applier({
    ...{ check: held.check, checksAfter: true, now: () => nowMs },
    difference: (_, { text }) =>
      reloads.includes(texts.indexOf(text))
        ? { kind: 'reload', what: 'backends-changed', reason: 'a backend is new' }
        : { kind: 'runtime', changes: [] },
  });
  held.release();
  await applier.apply(textOf(0), signal);
  held.hold();
  scene.answers.reload = made;
  scene.requests.length = 0;
  return { ...held, ...applier };
}

test('a runtime update does not wait for the validation of the previous file, and only the newest file is kept', async () => {
  const { tell, settle, release } = await begun();
  expect(await tell(textOf(1), signal)).toMatchObject({ kind: 'reloaded', isUnchecked: true });
  const first = settle(signal);
  expect(first?.giveWayTo(setOf(2))).toBe(true);
  expect(await first?.outcome).toBe(undefined);
  await tell(textOf(2), signal);
  expect(lastGood()).toBe(0);
  const second = settle(signal);
  release();
  expect(await second?.outcome).toEqual({ kind: 'unchanged' });
  expect(steps()).toEqual(['tell', 'tell', 'check 2', 'keep']);
  expect([there(), lastGood(), settle(signal)]).toEqual([2, 2, undefined]);
});

test('if HAProxy refuses the second of two runtime updates, the last valid file is restored and loaded', async () => {
  const { tell, settle, release } = await begun();
  await tell(textOf(1), signal);
  await tell(textOf(2), signal);
  bad = [2];
  const settling = settle(signal);
  release();
  expect(await settling?.outcome).toMatchObject({
    kind: 'rejected',
    by: 'check',
    back: { kind: 'reloaded' },
  });
  expect(steps()).toEqual(['tell', 'tell', 'check 2', 'reload']);
  expect([there(), lastGood()]).toEqual([0, 0]);
  // The update starts from the restored file.
  await tell(textOf(3), signal);
  expect(await settle(signal)?.outcome).toEqual({ kind: 'unchanged' });
  expect([there(), lastGood()]).toEqual([3, 3]);
});

test('if the supervisor refuses the second, the last valid file is restored and loaded', async () => {
  const { tell, release } = await begun();
  await tell(textOf(1), signal);
  release();
  const failed = (stage: string) => ({ ok: false, stage, message: 'it ended' }) as const;
  const answers = [failed('change'), failed('start'), made];
  Object.defineProperty(scene.answers, 'reload', { get: () => answers.shift() });
  expect(await tell(textOf(2), signal)).toMatchObject({ kind: 'rejected', back: { kind: 'reloaded' } });
  expect([there(), steps()]).toEqual([0, ['tell', 'tell', 'reload', 'check 2', 'reload']]);
});

test('a change that needs a reload waits for the verdict', async () => {
  const { tell, settle, release } = await begun();
  reloads = [2];
  await tell(textOf(1), signal);
  const settling = settle(signal);
  expect(settling?.giveWayTo(setOf(2))).toBe(false);
  release();
  expect(await settling?.outcome).toEqual({ kind: 'unchanged' });
});

test('a file that was there for ten seconds is checked, whatever comes', async () => {
  const { tell, settle, release } = await begun();
  for (const index of [1, 2, 3]) {
    await tell(textOf(index), signal);
    nowMs += 4_000;
  }
  const settling = settle(signal);
  expect(settling?.giveWayTo(setOf(4))).toBe(false);
  release();
  expect(await settling?.outcome).toEqual({ kind: 'unchanged' });
  await tell(textOf(4), signal);
  expect(settle(signal)?.giveWayTo(setOf(5))).toBe(true);
});

test.each([
  { isRefused: true, says: 'refuses' },
  { isRefused: false, says: 'accepts' },
])(
  'what the check $says is not said of the file that HAProxy has, where it was edited by hand meanwhile',
  async ({ isRefused }) => {
    const { tell, settle, release } = await begun();
    await tell(textOf(1), signal);
    bad = isRefused ? [1] : [];
    const settling = settle(signal);
    await waitFor('the check', () => steps().includes('check 1'));
    writeFileSync(scene.configPath, textOf(7));
    release();
    expect(await settling?.outcome).toBe(undefined);
    expect([there(), lastGood(), steps()]).toEqual([7, 0, ['tell', 'check 1']]);
    await tell(textOf(1), signal);
    expect(there()).toBe(1);
  },
);

test('a new process checks what a killed one told over an unchecked file, and goes back behind both', async () => {
  const { tell } = await begun();
  await tell(textOf(1), signal);
  await tell(textOf(2), signal);
  bad = [2];
  scene.answers.status = { ...serving(textOf(2)), changes: { made: 0 } };
  const next = await restarted();
  expect([next.outcome, there()]).toEqual(['reloaded', 3]);
  expect(steps().slice(2)).toEqual(['check 2', 'reload', 'apply']);
});

/** Another process, which wants the fourth. */
async function restarted() {
  const { check, release } = heldCheck();
  release();
  const { tell } = scene.applier({
    ...{ check, checksAfter: true, difference: () => ({ kind: 'runtime', changes: [] }) },
  });
  return { outcome: (await tell(textOf(3), signal)).kind };
}
