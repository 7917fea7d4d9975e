import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isOwnFile } from '../../../../src/engine/config/foreign-file.ts';
import { type ApplyScene, createApplyScene, goodText } from './apply-scene.ts';

const { signal } = new AbortController();
const fixture = (name: string) => join(import.meta.dirname, '../../../fixtures/foreign', name);

let scene: ApplyScene;
let told: unknown[];
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
  told = [];
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const live = () => readFileSync(scene.configPath, 'utf8');
const copyOf = (number = '') => `${scene.configPath}.before-hawser${number}`;
const deployer = () => scene.deployer({ onForeign: (foreign) => told.push(foreign) });

it.each(['debian-haproxy.cfg', 'guide-haproxy.cfg', 'guide-keepalived.conf'])(
  '%s is copied before it is replaced, and reported once',
  async (name) => {
    copyFileSync(fixture(name), scene.configPath);
    expect(isOwnFile(scene.configPath)).toBe(false);
    const ours = deployer();
    expect(await ours.apply(goodText(), signal)).toMatchObject({ kind: 'reloaded' });
    await ours.apply(goodText(1001), signal);
    expect(live()).toBe(goodText(1001));
    expect(readFileSync(copyOf(), 'utf8')).toBe(readFileSync(fixture(name), 'utf8'));
    expect(statSync(copyOf()).mode).toBe(statSync(fixture(name)).mode);
    expect(told).toEqual([{ path: scene.configPath, copy: copyOf() }]);
    expect(isOwnFile(scene.configPath)).toBe(true);
  },
);

it('an older copy is never overwritten', async () => {
  writeFileSync(copyOf(), 'the first');
  for (const text of ['the second', 'the first', 'the second']) {
    writeFileSync(scene.configPath, text);
    await deployer().apply(goodText(), signal);
  }
  expect([copyOf(), copyOf('.2')].map((path) => readFileSync(path, 'utf8'))).toEqual([
    'the first',
    'the second',
  ]);
  expect(existsSync(copyOf('.3'))).toBe(false);
});

it('a refused configuration does not bring the foreign file back', async () => {
  copyFileSync(fixture('debian-haproxy.cfg'), scene.configPath);
  scene.answers.reload = { ok: false, stage: 'prove', message: 'cannot bind' };
  expect(await deployer().apply(goodText(), signal)).toMatchObject({ kind: 'rejected' });
  expect(live()).toBe(goodText());
});

it('a file of an earlier hawser is not copied, whether marked or equal to the last good one', async () => {
  writeFileSync(scene.configPath, goodText(1001));
  await deployer().apply(goodText(), signal);
  for (const path of [scene.configPath, `${scene.configPath}.last-good`]) writeFileSync(path, 'of no mark');
  expect(isOwnFile(scene.configPath)).toBe(true);
  await deployer().apply(goodText(1002), signal);
  expect([existsSync(copyOf()), told]).toEqual([false, []]);
});
