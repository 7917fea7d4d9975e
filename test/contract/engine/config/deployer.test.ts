import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, badText, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
const reloaded = { kind: 'reloaded', generation: 1, tookMs: 5 };

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const live = () => readFileSync(scene.configPath, 'utf8');
const reloads = () => scene.requests.filter((line) => line === 'reload').length;

describe('a valid text', () => {
  it('is written with the mode of the template, reloaded, and kept as the last good one', async () => {
    expect(await scene.deployer().apply(goodText(), signal)).toEqual(reloaded);
    expect(live()).toBe(goodText());
    expect(statSync(scene.configPath).mode & 0o7777).toBe(0o640);
    expect(readFileSync(`${scene.configPath}.last-good`, 'utf8')).toBe(goodText());
    expect(existsSync(`${scene.configPath}.candidate`)).toBe(false);
  });

  it('is restored if another program changed the file', async () => {
    const deployer = scene.deployer();
    await deployer.apply(goodText(), signal);
    writeFileSync(scene.configPath, 'changed by hand');
    expect(await deployer.apply(goodText(), signal)).toEqual(reloaded);
    expect(live()).toBe(goodText());
  });
});

describe('a changed mode of an unchanged text', () => {
  it('is applied to the file and the last good copy, without a check or a reload', async () => {
    const deployer = scene.deployer();
    await deployer.apply(goodText(), signal, 0o644);
    expect(await deployer.apply(goodText(), signal, 0o600)).toEqual({ kind: 'unchanged' });
    const modes = [scene.configPath, `${scene.configPath}.last-good`].map(
      (path) => statSync(path).mode & 0o7777,
    );
    expect(modes).toEqual([0o600, 0o600]);
    expect([live(), scene.checks(), reloads()]).toEqual([goodText(), 1, 1]);
  });
});

describe('a text that HAProxy refuses', () => {
  it("never reaches the live file, and the outcome has HAProxy's message", async () => {
    const deployer = scene.deployer();
    await deployer.apply(goodText(), signal);
    const inode = statSync(scene.configPath).ino;
    const outcome = await deployer.apply(badText, signal);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      by: 'check',
      detail: expect.stringContaining("'blind'"),
    });
    expect(statSync(scene.configPath).ino).toBe(inode);
    expect(reloads()).toBe(1);
    expect(await deployer.apply(goodText(), signal)).toEqual({ kind: 'unchanged' });
  });

  it('is checked again only after a pause', async () => {
    const deployer = scene.deployer();
    const first = await deployer.apply(badText, signal);
    expect(await deployer.apply(badText, signal)).toBe(first);
    await waitFor('its outcome', () => deployer.outcomes.length > 1);
    expect(scene.checks()).toBe(2);
    expect(deployer.outcomes[1]).toEqual(first);
  });
});

describe('a text that the supervisor refuses', () => {
  const refusal = { ok: false, stage: 'prove', message: 'no answer in 10s', detail: 'cannot bind' } as const;
  const rejected = { kind: 'rejected', by: 'reload', message: 'no answer in 10s', detail: 'cannot bind' };

  it('is replaced by the previous file, which needs no reload', async () => {
    const deployer = scene.deployer();
    await deployer.apply(goodText(1001), signal);
    scene.answers.reload = refusal;
    expect(await deployer.apply(goodText(1002), signal)).toEqual(rejected);
    expect(live()).toBe(goodText(1001));
    scene.answers.status = serving(goodText(1001));
    expect(await deployer.apply(goodText(1001), signal)).toEqual({ kind: 'unchanged' });
    expect(scene.requests.filter((line) => line !== 'status')).toEqual([
      'reload',
      expect.anything(),
      'reload',
    ]);
  });

  it('is checked and loaded again after a pause', async () => {
    const deployer = scene.deployer();
    scene.answers.reload = refusal;
    await deployer.apply(goodText(), signal);
    expect(await deployer.apply(goodText(), signal)).toEqual(rejected);
    expect([scene.checks(), reloads()]).toEqual([1, 1]);
    scene.answers.reload = { ok: true };
    expect(await deployer.later('reloaded')).toEqual({ kind: 'reloaded' });
    expect([scene.checks(), reloads()]).toEqual([2, 2]);
  });

  it('is replaced by the last good text even if it was on disk before', async () => {
    await scene.deployer().apply(goodText(1001), signal);
    writeFileSync(scene.configPath, goodText(1002));
    scene.answers.reload = refusal;
    expect(await scene.deployer().apply(goodText(1002), signal)).toEqual(rejected);
    expect(live()).toBe(goodText(1001));
  });
});

it('a text that the supervisor cannot check stays on disk, and the reload is repeated', async () => {
  const deployer = scene.deployer();
  await deployer.apply(goodText(1001), signal);
  scene.answers.reload = { ok: false, stage: 'unchecked', message: 'it did not finish' };
  const failed = { kind: 'failed', message: expect.stringContaining('it did not finish') };
  expect(await deployer.apply(goodText(1002), signal)).toEqual(failed);
  expect(live()).toBe(goodText(1002));
  scene.answers.reload = { ok: true };
  expect(await deployer.later('reloaded')).toEqual({ kind: 'reloaded' });
  expect(live()).toBe(goodText(1002));
});

describe('a supervisor', () => {
  it('that is not running: the file stays, and the request is repeated', async () => {
    await scene.stopServing();
    const deployer = scene.deployer();
    expect(await deployer.apply(goodText(), signal)).toMatchObject({ kind: 'unreachable' });
    expect(await deployer.apply(goodText(), signal)).toMatchObject({ kind: 'unreachable' });
    expect(live()).toBe(goodText());
    await scene.serve();
    expect(await deployer.later('reloaded')).toEqual(reloaded);
    expect(await deployer.apply(goodText(), signal)).toEqual({ kind: 'unchanged' });
    expect(scene.checks()).toBe(1);
  });

  it('that restarts with the new file: it needs no reload', async () => {
    await scene.stopServing();
    const deployer = scene.deployer();
    await deployer.apply(goodText(), signal);
    scene.answers.status = serving(goodText());
    await scene.serve();
    await deployer.later('unchanged');
    expect(scene.requests.filter((line) => line === 'reload')).toEqual([]);
  });
});

describe('a file from before the monitor started', () => {
  it.each([
    ['is unchanged while the supervisor serves it', serving(goodText()), { kind: 'unchanged' }],
    ['is reloaded if the supervisor serves another one', serving('other'), reloaded],
    ['is reloaded if the supervisor serves nothing', { ok: true } as const, reloaded],
  ])('%s', async (_what, status, expected) => {
    writeFileSync(scene.configPath, goodText());
    scene.answers.status = status;
    expect(await scene.deployer().apply(goodText(), signal)).toEqual(expected);
  });
});
