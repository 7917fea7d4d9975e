import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Plan } from '../../../../src/engine/config/deploy-state.ts';
import { filesFolder, namesOnDiskIn } from '../../../../src/engine/config/layout.ts';
import { type Rendered, revisionOf, SET_FOLDER, sha256Of } from '../../../../src/engine/config/set.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
const changes = [{ kind: 'server', server: 'b/s', desired: null }];
const before = goodText(1001);
const after = goodText(1002);
const apply = `apply ${JSON.stringify({ from: sha256Of(before), to: sha256Of(after), changes })}`;
const made = { ok: true, generation: 1, tookMs: 5, atRunTime: true, commands: 1 } as const;
const section = { what: 'section-added', reason: 'the section is new' };

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** A deployer that has brought `before` into effect, and the requests since then. */
async function begun(plan: (desired: Rendered) => Partial<Plan> = () => ({ changes: changes })) {
  const deployer = scene.deployer({
    check: 'when-idle',
    compare: (_, desired) => ({ changes: [], reload: [], running: desired, ...plan(desired) }),
  });
  scene.answers.status = serving('another');
  await deployer.apply(before, signal);
  scene.requests.length = 0;
  return deployer;
}
/** Sets the answer to the next update. Reloads succeed. */
function answerChange(answer: Answer): void {
  const get = (): Answer =>
    scene.requests.at(-1)?.includes('"to"') === true ? answer : { ok: true, generation: 2 };
  Object.defineProperty(scene.answers, 'reload', { configurable: true, get });
}
const asked = () => scene.requests.filter((line) => line !== 'status');

test('a change is applied before its file is written, validated and kept as good', async () => {
  const deployer = await begun();
  scene.answers.reload = made;
  expect(await deployer.apply(after, signal)).toEqual({
    kind: 'reloaded',
    atRunTime: true,
    generation: 1,
    tookMs: 5,
    commands: 1,
  });
  const good = { from: sha256Of(after), to: sha256Of(after), good: true, changes: [] };
  await waitFor('the good copy', () => asked().some((line) => line.includes('"good"')));
  const { good: _, ...confirmed } = good;
  expect(asked()).toEqual([apply, ...[confirmed, good].map((each) => `apply ${JSON.stringify(each)}`)]);
  expect(readFileSync(`${scene.configPath}.last-good`, 'utf8')).toBe(after);
  expect(scene.checks()).toBe(2);
});

test('runtime updates precede the reload, whose reason is reported', async () => {
  const mixed: Rendered = { text: `${before}# mixed\n`, mode: 0o640 };
  const deployer = await begun((desired) =>
    desired.text === after ? { changes: changes, reload: [section], running: mixed } : {},
  );
  scene.answers.reload = made;
  expect(await deployer.apply(after, signal)).toMatchObject({ kind: 'reloaded', ...section });
  const [first = ''] = asked();
  expect(first).toContain(`"to":"${revisionOf(mixed)}"`);
  expect(asked()[1]).toBe('reload');
});

test('a change refused at runtime becomes a reload with that reason', async () => {
  const deployer = await begun();
  answerChange({ ok: false, stage: 'change', message: 'no', refused: 'No such server.' });
  expect(await deployer.apply(after, signal)).toMatchObject({ what: 'refused', reason: 'No such server.' });
});

test('after a conflict the change starts from the running revision, or becomes a reload', async () => {
  const deployer = await begun();
  answerChange({ ok: false, stage: 'change', message: 'no', running: sha256Of(after) });
  expect(await deployer.apply(after, signal)).toMatchObject({ kind: 'reloaded', atRunTime: true });
  expect(asked()[0]).toBe(apply);
  expect(asked()).not.toContain('reload');
});

test('a change that exceeds the line limit becomes a reload', async () => {
  const deployer = await begun(() => ({ changes: [{ text: 'x'.repeat(270_000) }] }));
  await deployer.apply(after, signal);
  expect(asked()[0]).toBe('reload');
});

test('a change uses the names of existing files on disk', async () => {
  const set = (content: string): Rendered => ({
    text: `# hawser renders this file\n${goodText()}# ${SET_FOLDER}/list\n`,
    mode: 0o644,
    others: [{ name: 'list', content }],
  });
  const told = [{ options: `ca-file ${SET_FOLDER}/list` }];
  const deployer = await begun((desired) => (desired.others ? { changes: told, readsFiles: true } : {}));
  scene.answers.reload = made;
  await deployer.applySet(set('one'), signal);
  const name = namesOnDiskIn(readFileSync(scene.configPath, 'utf8')).get('list') ?? '';
  const path = `${filesFolder(scene.configPath)}/${name}`;
  expect(asked()[0]).toContain(JSON.stringify([{ options: `ca-file ${path}` }]));
  expect(readFileSync(path, 'utf8')).toBe('one');
});
