import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkTrial, openTrialFolder } from '../../../../src/router/render/write-out.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const scratch = fileFolder();

test('a trial folder is removed with its content', async () => {
  let path: string;
  {
    await using folder = await openTrialFolder(scratch);
    path = folder.path;
    writeFileSync(join(path, 'key.pem'), 'key');
  }
  expect(existsSync(path)).toBe(false);
});

test("a killed router's trial folders are removed after two minutes, and nothing else", async () => {
  for (const name of ['hawser-trial-left', 'other-left']) {
    mkdirSync(join(scratch, name, 'certs'), { recursive: true });
    writeFileSync(join(scratch, name, 'certs/shop_a.pem'), 'key');
  }
  const there = (): readonly string[] => readdirSync(scratch).filter((name) => name.endsWith('left'));
  await using _young = await openTrialFolder(scratch, Date.now() + 60_000);
  expect(there()).toEqual(['hawser-trial-left', 'other-left']);
  await using _old = await openTrialFolder(scratch, Date.now() + 121_000);
  expect(there()).toEqual(['other-left']);
});

test('without space for a trial there is no verdict', async () => {
  const before = process.env['TMPDIR'];
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  process.env['TMPDIR'] = '/dev/null';
  const rendered = { text: '', mode: 0o600, others: [] };
  expect(await checkTrial(rendered, async () => ({ kind: 'valid' }))).toMatchObject({ kind: 'impossible' });
});
