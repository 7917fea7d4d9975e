import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApplierOptions } from '../../../../src/engine/apply/applier.ts';
import type { Difference } from '../../../../src/engine/apply/bring-into-service.ts';
import type { CheckOutcome } from '../../../../src/engine/apply/configuration-check.ts';
import { SET_FOLDER, sha256Of } from '../../../../src/engine/apply/file-set.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { type ApplyScene, createApplyScene, goodText } from './apply-scene.ts';
import { type ModelSupervisor, modelSupervisor } from './model-supervisor.ts';
import { setsBeside } from './set-scene.ts';

const { signal } = new AbortController();
const texts = Array.from({ length: 4 }, (_, index) => goodText(1001 + index));
const textOf = (index: number): string => texts[index] ?? '';
const set = (index: number) => ({
  text: `${textOf(index)}# ${SET_FOLDER}/list\n`,
  mode: 0o644,
  others: [{ name: 'list', content: `${index}` }],
});
const atRunTime = { kind: 'reloaded', atRunTime: true, isUnchecked: true } as const;

let scene: ApplyScene;
let model: ModelSupervisor;
let found: Difference;
let compared: string[];
beforeEach(async () => {
  [found, compared] = [{ kind: 'runtime', changes: [{}] }, []];
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

const there = () => texts.indexOf(readFileSync(scene.configPath, 'utf8'));
/** The orders, each with what they say is served before and after: a file's number, or `told`. */
const orders = (): readonly string[] => {
  const name = (word: string): string => {
    const index = texts.findIndex((text) => sha256Of(text) === word);
    return index === -1 ? word.replace(/^told-.*/, 'told') : `${index}`;
  };
  return scene.requests
    .filter((line) => line !== 'status')
    .map((line) => {
      if (!line.startsWith('apply ')) return line;
      const { from, to, changes } = JSON.parse(line.slice('apply '.length));
      return `${name(from)} to ${name(to)}${changes.length === 0 ? '' : ' with changes'}`;
    });
};

/** An applier that has deployed the first text, with a supervisor that makes runtime updates. */
async function begun(options: Partial<ApplierOptions> = {}) {
  const applier = scene.applier({
    check: async () => ({ kind: 'valid' }),
    ...options,
    checksAfter: true,
    difference: (before, { text }) => {
      compared.push(`${texts.indexOf(before.text)} to ${texts.indexOf(text)}`);
      return before.text === text ? { kind: 'nothing' } : found;
    },
  });
  await applier.tell(textOf(0), signal);
  model = modelSupervisor(scene);
  scene.requests.length = 0;
  return applier;
}

/** No file can be put in place until it is undone. */
function blockDisk(): () => void {
  const path = `${scene.configPath}.candidate`;
  mkdirSync(path);
  return () => rmdirSync(path);
}

test('HAProxy takes a change before its file is written, and the supervisor then learns the file', async () => {
  const { tell } = await begun();
  const lay: number[] = [];
  const { push } = scene.requests;
  scene.requests.push = (...lines) => {
    if (lines[0] !== 'status') lay.push(there());
    return push.apply(scene.requests, lines);
  };
  expect(await tell(textOf(1), signal)).toMatchObject({ ...atRunTime, commands: 1 });
  expect(orders()).toEqual(['0 to told with changes', 'told to 1']);
  expect(lay).toEqual([0, 1]);
  expect([model.served, model.reloads()]).toEqual([sha256Of(textOf(1)), 0]);
});

test.each([
  ['a supervisor that answers so', false, 1],
  ['an older one, which reloads the previous file,', true, 2],
])('a change that HAProxy refuses, with %s is loaded once its file is written', async (_, isOld, reloads) => {
  const { tell } = await begun();
  model.refusal = 'No such server.';
  model.isOld = isOld;
  const outcome = await tell(textOf(1), signal);
  expect(outcome).toMatchObject({ kind: 'reloaded', what: 'refused', reason: 'No such server.' });
  expect(outcome).not.toHaveProperty('atRunTime');
  expect(orders()).toEqual(['0 to told with changes', 'reload']);
  expect([there(), model.served, model.reloads()]).toEqual([1, sha256Of(textOf(1)), reloads]);
});

test('a supervisor that does not answer is waited for until the file is asked for, not twice as long', async () => {
  const { tell } = await begun({ updateTimeoutMs: 200, reloadTimeoutMs: 600_000 });
  const { promise: never } = Promise.withResolvers<Answer>();
  const { get } = Object.getOwnPropertyDescriptor(scene.answers, 'reload') ?? {};
  const isAhead = () => scene.requests.at(-1)?.includes('"ahead"') === true;
  Object.defineProperty(scene.answers, 'reload', { get: () => (isAhead() ? never : get?.()) });
  expect(await tell(textOf(1), signal)).toMatchObject({ kind: 'reloaded' });
  expect(orders()).toEqual(['0 to told with changes', 'reload']);
  expect([there(), model.served, model.reloads()]).toEqual([1, sha256Of(textOf(1)), 1]);
});

test('a HAProxy that dies between the runtime update and its file starts with the file', async () => {
  const { tell } = await begun();
  const { push } = scene.requests;
  scene.requests.push = (...lines) => {
    // The next one has read the file on disk.
    if (there() === 1) model.served = sha256Of(textOf(0));
    return push.apply(scene.requests, lines);
  };
  expect(await tell(textOf(1), signal)).not.toHaveProperty('atRunTime');
  expect([orders(), model.reloads()]).toEqual([['0 to told with changes', 'told to 1'], 1]);
  expect(model.served).toBe(sha256Of(textOf(1)));
});

test('updates that read files of the set wait for those files, and all others do not', async () => {
  const { applySet } = await begun();
  await applySet(set(0), signal);
  const sets = () => setsBeside(scene.configPath).filter((name) => name !== 'next').length;
  for (const readsFiles of [false, true]) {
    found = { kind: 'runtime', changes: [{}], ...(readsFiles && { readsFiles }) };
    const before = sets();
    const seen: number[] = [];
    const { push } = scene.requests;
    scene.requests.push = (...lines) => {
      if (lines[0]?.includes('"ahead"')) seen.push(sets() - before);
      return push.apply(scene.requests, lines);
    };
    expect(await applySet(set(readsFiles ? 1 : 2), signal)).toMatchObject({ atRunTime: true });
    expect(seen).toEqual([readsFiles ? 1 : 0]);
    const order = scene.requests.findLast((line) => line.includes('"ahead"')) ?? '';
    expect(order.includes('"set":')).toBe(readsFiles);
    scene.requests.push = push;
  }
});

test('runtime updates pass while no file can be written, and the file follows', async () => {
  const { tell } = await begun();
  const unblock = blockDisk();
  for (const index of [1, 2]) {
    const outcome = await tell(textOf(index), signal);
    expect(outcome).toMatchObject({ kind: 'failed', inMemoryOnly: true });
    expect(outcome).toMatchObject({ message: expect.stringContaining('applied at runtime only') });
  }
  expect(there()).toBe(0);
  expect(orders()).toEqual(['0 to told with changes', 'told to told with changes']);
  unblock();
  expect(await tell(textOf(2), signal)).toMatchObject(atRunTime);
  expect(orders().slice(2)).toEqual(['told to 2']);
  expect(compared).toEqual(['0 to 1', '1 to 2', '2 to 2']);
  expect([there(), model.served, model.reloads()]).toEqual([2, sha256Of(textOf(2)), 0]);
});

test('a restarted HAProxy gets its runtime updates again while no file can be written', async () => {
  const { tell } = await begun();
  const unblock = blockDisk();
  await tell(textOf(1), signal);
  model.served = sha256Of(textOf(0));
  expect(await tell(textOf(1), signal)).toMatchObject({ kind: 'failed', inMemoryOnly: true });
  expect(orders().slice(1)).toEqual(['0 to told with changes']);
  unblock();
  await tell(textOf(1), signal);
  expect([there(), model.served, model.reloads()]).toEqual([1, sha256Of(textOf(1)), 0]);
});

test('a change that is taken back before its file could be written is loaded', async () => {
  const { tell } = await begun();
  const unblock = blockDisk();
  await tell(textOf(1), signal);
  unblock();
  expect(await tell(textOf(0), signal)).toMatchObject({ kind: 'reloaded' });
  expect([there(), model.served, model.reloads()]).toEqual([0, sha256Of(textOf(0)), 1]);
});

test('a change that needs a reload is not reported as running if its file cannot be written', async () => {
  const { tell } = await begun();
  found = { kind: 'reload', what: 'section-added', reason: 'the section is new' };
  blockDisk();
  const outcome = await tell(textOf(1), signal);
  expect(outcome.kind).toBe('failed');
  expect(outcome).not.toHaveProperty('inMemoryOnly');
});

test('a change that is not made at runtime announces a reload', async () => {
  const seen: string[] = [];
  const applier = await begun({ onReload: () => seen.push('reload') });
  expect(seen).toEqual(['reload']);
  await applier.tell(textOf(1), signal);
  expect(seen).toEqual(['reload']);
  found = { kind: 'reload', what: 'backends', reason: 'one is new' };
  await applier.settle(signal)?.outcome;
  await applier.tell(textOf(2), signal);
  expect(seen).toEqual(['reload', 'reload']);
});

test('a refused file of a runtime update announces a reload', async () => {
  const seen: string[] = [];
  let verdict: CheckOutcome = { kind: 'valid' };
  const applier = await begun({ onReload: () => seen.push('reload'), check: async () => verdict });
  await applier.tell(textOf(1), signal);
  seen.length = 0;
  verdict = { kind: 'invalid', message: 'no', detail: '' };
  expect(await applier.settle(signal)?.outcome).toMatchObject({
    kind: 'rejected',
    back: { kind: 'reloaded' },
  });
  expect(seen).toEqual(['reload']);
});

test('a foreign file is kept, even if it appears during a runtime update', async () => {
  const kept: string[] = [];
  const { tell } = await begun({ onForeign: ({ copy }) => kept.push(copy) });
  const { push } = scene.requests;
  scene.requests.push = (...lines) => {
    if (lines[0]?.includes('"ahead"') === true)
      writeFileSync(scene.configPath, "global\n# an administrator's\n");
    return push.apply(scene.requests, lines);
  };
  expect(await tell(textOf(1), signal)).toMatchObject(atRunTime);
  expect(kept).toHaveLength(1);
  expect(readdirSync(scene.directory).filter((name) => name.includes('.before-hawser'))).toHaveLength(1);
});
