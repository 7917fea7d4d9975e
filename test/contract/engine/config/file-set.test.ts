import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesFolder, namesOnDiskIn } from '../../../../src/engine/config/layout.ts';
import type { Rendered } from '../../../../src/engine/config/set.ts';
import { createNetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, createApplyScene } from './apply-scene.ts';
import { filesBeside, folderIn, mainText, setAt, setOf, wholeSet } from './set-scene.ts';

const { signal } = new AbortController();
const reloaded = { kind: 'reloaded', generation: 1, tookMs: 5 };
const refusal = { ok: false, stage: 'prove', message: 'no answer in 10s' } as const;

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
  await scene.serve();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const live = () => readFileSync(scene.configPath, 'utf8');
const fileOf = (name: string) => join(folderIn(live()), namesOnDiskIn(live()).get(name) ?? name);
const reloads = () => scene.requests.filter((line) => line === 'reload').length;

describe('a set', () => {
  it('is validated by HAProxy at its final path, replaced as one and reloaded', async () => {
    const { applySet } = scene.deployer();
    expect(await applySet(setOf('one'), signal)).toEqual(reloaded);
    expect(await applySet(setOf('two'), signal)).toEqual(reloaded);
    expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('two')));
    expect(readFileSync(`${scene.configPath}.last-good`, 'utf8')).toBe(live());
    expect([scene.checks(), reloads()]).toEqual([2, 2]);
  });

  it('is not validated, written or reloaded if it is unchanged', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const before = statSync(scene.configPath).ino;
    expect(await applySet(setOf('one'), signal)).toEqual({ kind: 'unchanged' });
    expect([scene.checks(), reloads(), filesBeside(scene.configPath).length]).toEqual([1, 1, 3]);
    expect(statSync(scene.configPath).ino).toBe(before);
  });

  it('writes no other file if only the main file changed', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const edited = { ...setOf('one'), text: `${setOf('one').text}# edited\n` };
    expect(await applySet(edited, signal)).toEqual(reloaded);
    expect([setAt(scene.configPath), filesBeside(scene.configPath).length]).toEqual([wholeSet(edited), 3]);
    const bad = { ...edited, text: edited.text.replace('bind', 'blind') };
    expect(await applySet(bad, signal)).toMatchObject({ kind: 'rejected', by: 'check' });
    expect(setAt(scene.configPath)).toEqual(wholeSet(edited));
  });

  it('writes only the files that changed, and never over those of the previous set', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const map = fileOf('maps/hosts.map');
    const certificate = fileOf('certs/a.pem');
    await applySet(setOf('two'), signal);
    expect(statSync(fileOf('certs/a.pem')).ino).toBe(statSync(certificate).ino);
    expect(readFileSync(map, 'utf8')).toBe('a.example one\n');
  });

  it.each(['022', '077'])(
    'gives a secret the mode 0600 and other files that of the main file, with umask %s',
    async (mask) => {
      const before = process.umask(Number.parseInt(mask, 8));
      try {
        await scene.deployer().applySet({ ...setOf('one'), mode: 0o100664 }, signal);
      } finally {
        process.umask(before);
      }
      const modes = ['maps/hosts.map', 'certs/a.pem', 'certs', '.'].map(
        (name) => statSync(fileOf(name)).mode & 0o7777,
      );
      expect(modes).toEqual([0o664, 0o600, 0o755, 0o755]);
    },
  );

  it('is repaired, if a file was changed by hand, before it is blamed for a refusal', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    writeFileSync(fileOf('maps/hosts.map'), 'a.example eno\n');
    scene.answers.reload = refusal;
    await applySet({ ...setOf('one'), text: `${setOf('one').text}# edited\n` }, signal);
    expect(reloads()).toBeGreaterThan(1);
    expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('one')));
  });
});

describe('the last good set stays complete', () => {
  it.each([
    ['the check refuses a set that lacks a file', { ...setOf('two'), others: [] as const }],
    ['the check refuses the main file', { ...setOf('two'), text: mainText().replace('bind', 'blind') }],
  ])('if %s', async (_what, bad: Rendered) => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const others = bad.others?.length === 0 ? [{ name: 'unused', content: '' }] : bad.others;
    const outcome = await applySet({ ...bad, ...(others && { others }) }, signal);
    expect(outcome).toMatchObject({ kind: 'rejected', by: 'check' });
    expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('one')));
    expect([filesBeside(scene.configPath).length, reloads()]).toEqual([3, 1]);
  });

  it('if the supervisor refuses the new set: the previous one is restored', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const text = live();
    scene.answers.reload = refusal;
    expect(await applySet(setOf('two'), signal)).toMatchObject({ kind: 'rejected', by: 'reload' });
    expect(live()).toBe(text);
    expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('one')));
    expect(await applySet(setOf('one'), signal)).toMatchObject({ kind: 'unchanged' });
  });

  it('if a link replaces the folder of the files', async () => {
    const { applySet, later } = scene.deployer();
    mkdirSync(join(scene.directory, 'elsewhere'));
    symlinkSync('elsewhere', filesFolder(scene.configPath));
    const outcome = await applySet(setOf('one'), signal);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('is not a directory') });
    expect(existsSync(scene.configPath)).toBe(false);
    rmSync(filesFolder(scene.configPath));
    await later('reloaded');
  });

  it('if a set exceeds a limit, which the error names', async () => {
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const others = Array.from({ length: 32_769 }, (_, index) => ({ name: `f${index}`, content: '' }));
    const outcome = await applySet({ ...setOf('two'), others }, signal);
    const message = expect.stringContaining('the set has 32769 files, the limit MAX_SET_FILES is 32768');
    expect(outcome).toEqual({ kind: 'failed', message });
    expect(setAt(scene.configPath)).toEqual(wholeSet(setOf('one')));
  });
});

describe('files that are no longer needed', () => {
  it('are not read by an HAProxy that was started with them', async () => {
    await using net = await createNetNamespace();
    const { applySet } = scene.deployer();
    await applySet(setOf('one'), signal);
    const [file, ...args] = [...net.prefix, 'haproxy', '-W', '-db', '-f', scene.configPath];
    const child = spawn(file, args, { stdio: 'ignore' });
    await once(child, 'spawn');
    const ask = () => net.run('sh', '-c', 'curl -s -m 5 -H "Host: a.example" 127.0.0.1:19080; true');
    await waitFor('HAProxy to answer', async () => (await ask()) === 'one');
    await applySet(setOf('two'), signal);
    rmSync(filesFolder(scene.configPath), { recursive: true });
    expect(await ask()).toBe('one');
  });
});
