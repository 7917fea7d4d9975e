import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Difference } from '../../../../src/engine/apply/bring-into-service.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, createApplyScene } from './apply-scene.ts';
import { folderIn, setAt, setOf, wholeSet } from './set-scene.ts';

const { signal } = new AbortController();
const [one, two] = [setOf('one'), setOf('two')];
const edited = { ...one, text: `${one.text}# edited\n` };
const made = { ok: true, generation: 1, tookMs: 5, atRunTime: true } as const;
const told: Difference = { kind: 'runtime', changes: [] };
const reload: Difference = { kind: 'reload', what: 'section-added', reason: 'the section is new' };

let scene: ApplyScene;
let nowMs = 0;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** An applier that has deployed a set, with a supervisor that makes runtime updates. */
async function begun({ checksAfter = true, difference = told } = {}) {
  scene.answers.status = { ok: true, changes: { made: 0 } };
  const applier = scene.applier({ checksAfter, difference: () => difference, now: () => nowMs });
  await applier.applySet(one, signal);
  if (difference === told) scene.answers.reload = made;
  else Object.defineProperty(scene.answers, 'reload', { get: started });
  return applier;
}
/** HAProxy does not start without the map. */
const started = () =>
  existsSync(fileOf('maps/hosts.map'))
    ? { ok: true, generation: 2, tookMs: 5 }
    : { ok: false, stage: 'check', message: 'no map' };
const fileOf = (name: string) => join(folderIn(readFileSync(scene.configPath, 'utf8')), name);
const isWhole = (set: typeof one) => expect(setAt(scene.configPath)).toEqual(wholeSet(set));
/** Those that HAProxy got before its check. */
const orders = () => scene.requests.filter((line) => line.includes('"checked":false')).length;
const spare = () => `${scene.configPath}.sets/next`;
const isFilled = () => one.others.every(({ name }) => existsSync(join(spare(), name)));

it.each([
  ['HAProxy took at runtime', { checksAfter: true, difference: told }],
  ['HAProxy has to read', { checksAfter: true, difference: reload }],
  ['is checked first', { checksAfter: false, difference: told }],
])('a text that %s is not refused for a file that was removed by hand, which is put back', async (_, how) => {
  const { applySet } = await begun(how);
  rmSync(fileOf('maps/hosts.map'));
  expect(await applySet(edited, signal)).toMatchObject({ kind: 'reloaded' });
  isWhole(edited);
});

it('a set that loses a file before it is synced is rewritten', async () => {
  const { applySet } = await begun();
  let isSpoiled = false;
  Object.defineProperty(scene.answers, 'reload', {
    get: () => {
      const isThere = readFileSync(scene.configPath, 'utf8').endsWith('# two\n');
      if (isThere && !isSpoiled) rmSync(fileOf('lists/allowed.lst'));
      isSpoiled ||= isThere;
      return made;
    },
  });
  expect(await applySet(two, signal)).toMatchObject({ kind: 'reloaded' });
  expect(isSpoiled).toBe(true);
  isWhole(two);
});

it('a text that HAProxy refuses stays refused if all files are whole', async () => {
  const { applySet } = await begun();
  const bad = { ...one, text: one.text.replace('bind', 'blind') };
  expect(await applySet(bad, signal)).toMatchObject({ kind: 'rejected', by: 'check' });
  isWhole(one);
});

it('a runtime update comes before the check for edited files, which restores them', async () => {
  const { applySet } = await begun();
  // HAProxy does not read this one.
  writeFileSync(fileOf('lists/allowed.lst'), 'eno\n');
  nowMs += 60_000;
  expect(await applySet(edited, signal)).toMatchObject({ kind: 'reloaded', atRunTime: true });
  expect(orders()).toBe(1);
  isWhole(edited);
});

it('a reload more than five seconds after the last check reads all files again', async () => {
  const { applySet } = await begun({ difference: reload });
  writeFileSync(fileOf('lists/allowed.lst'), 'eno\n');
  nowMs += 60_000;
  scene.requests.length = 0;
  await applySet(edited, signal);
  expect(scene.requests.filter((line) => line === 'reload')).toHaveLength(1);
  isWhole(edited);
});

it('the next set is prepared once one is served, and only what differs is written then', async () => {
  const { applySet } = await begun();
  await waitFor('a spare set', isFilled);
  const [prepared, same] = [statSync(spare()).ino, statSync(fileOf('certs/a.pem')).ino];
  await applySet(two, signal);
  expect(statSync(folderIn(readFileSync(scene.configPath, 'utf8'))).ino).toBe(prepared);
  expect(statSync(fileOf('certs/a.pem')).ino).toBe(same);
  isWhole(two);
  await waitFor('another spare set', isFilled);
});

it('a spare set that lacks what is new and has what is gone becomes the next set', async () => {
  const { applySet } = await begun();
  await waitFor('a spare set', isFilled);
  const others = [...two.others.filter(({ name }) => name !== 'lists/allowed.lst')];
  const next = { ...two, others: [...others, { name: 'certs/deep/b.pem', content: 'b\n', secret: true }] };
  await applySet(next, signal);
  expect(setAt(scene.configPath)).toEqual(wholeSet(next));
  expect(statSync(fileOf('certs/deep/b.pem')).mode & 0o777).toBe(0o600);
});

it.each([
  ['lacks a file', () => rmSync(join(spare(), 'certs/a.pem'))],
  ['has a file more', () => writeFileSync(join(spare(), 'more'), '')],
  ['has a file of the next set', () => writeFileSync(join(spare(), 'certs/b.pem'), 'other\n')],
  ['is gone', () => rmSync(spare(), { recursive: true })],
  [
    'is a file',
    () => {
      rmSync(spare(), { recursive: true });
      writeFileSync(spare(), '');
    },
  ],
])('a set is whole after one for which the spare set %s', async (_, spoil) => {
  const { applySet } = await begun();
  await waitFor('a spare set', isFilled);
  spoil();
  nowMs += 60_000;
  const next = { ...two, others: [...two.others, { name: 'certs/b.pem', content: 'b\n', secret: true }] };
  expect(await applySet(next, signal)).toMatchObject({ kind: 'reloaded' });
  isWhole(next);
});

it("a killed process's partial spare set is replaced", async () => {
  mkdirSync(join(spare(), 'maps'), { recursive: true });
  writeFileSync(join(spare(), 'maps/left.map'), '');
  const { applySet } = await begun();
  await waitFor('a spare set', isFilled);
  await applySet(two, signal);
  isWhole(two);
});

it('a manual edit that was repaired is not in later sets', async () => {
  const { applySet } = await begun();
  await waitFor('a spare set', isFilled);
  writeFileSync(fileOf('lists/allowed.lst'), 'eno\n');
  nowMs += 60_000;
  await applySet(one, signal);
  const next = { ...one, others: one.others.map((each, at) => two.others[at === 0 ? 0 : -1] ?? each) };
  await applySet(next, signal);
  isWhole(next);
});

it.each([
  ['another content', () => writeFileSync(fileOf('lists/allowed.lst'), 'eno\n'), ['reload']],
  ['other permissions', () => chmodSync(fileOf('lists/allowed.lst'), 0o600), []],
  ['a file less', () => rmSync(fileOf('lists/allowed.lst')), []],
])(
  'of a set that had %s, HAProxy reads the files again where it may have read others',
  async (_, spoil, asked) => {
    const { applySet } = await begun();
    spoil();
    nowMs += 60_000;
    scene.requests.length = 0;
    await applySet(one, signal);
    expect(scene.requests.filter((line) => line === 'reload')).toEqual(asked);
    isWhole(one);
  },
);

it('the number of a set removed by hand is not reused: a runtime update would change nothing', async () => {
  const { applySet } = await begun();
  const before = readFileSync(scene.configPath, 'utf8');
  rmSync(folderIn(before), { recursive: true });
  const next = { ...one, others: two.others };
  expect(await applySet(next, signal)).toMatchObject({ kind: 'reloaded' });
  expect(readFileSync(scene.configPath, 'utf8')).not.toBe(before);
  isWhole(next);
});

it.each([
  ['HAProxy took at runtime', { checksAfter: true, difference: told }],
  ['is checked first', { checksAfter: false, difference: told }],
])('if a text that %s is refused and a file is missing, the previous text is restored', async (_, how) => {
  const { applySet } = await begun(how);
  rmSync(fileOf('lists/allowed.lst'));
  nowMs += 60_000;
  const bad = { ...one, text: one.text.replace('bind', 'blind') };
  expect(await applySet(bad, signal)).toMatchObject({ kind: 'rejected', by: 'check' });
  expect(setAt(scene.configPath).text).toBe(one.text);
  await applySet(one, signal);
  isWhole(one);
});

it.each([
  ['checked after', { checksAfter: true, difference: told }],
  ['checked first', { checksAfter: false, difference: told }],
])(
  'a set that is %s and not loaded yet is not refused for a file that was removed meanwhile',
  async (_, how) => {
    const { applySet } = await begun(how);
    scene.answers.reload = { ok: false, stage: 'stop', message: 'stopping' };
    expect(await applySet(two, signal)).toMatchObject({ kind: 'unreachable' });
    rmSync(fileOf('maps/hosts.map'));
    Object.defineProperty(scene.answers, 'reload', { get: started });
    expect(await applySet(two, signal)).toMatchObject({ kind: 'reloaded' });
    isWhole(two);
  },
);
