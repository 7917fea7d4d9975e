import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SET_FOLDER, type SetFile } from '../../../../src/engine/config/set.ts';
import { writeOut, writeTrial } from '../../../../src/router/render/write-out.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const scratch = fileFolder();

const set = (...names: readonly string[]) => ({
  text: `default-path origin ${SET_FOLDER}\n`,
  mode: 0o644,
  others: names.map((name): SetFile => ({ name, content: 'key', secret: true })),
});

test("a deleted route's key is removed, and other programs' files stay", async () => {
  const folder = join(scratch, 'out');
  mkdirSync(join(folder, 'certs'), { recursive: true });
  writeFileSync(join(folder, 'certs/other_theirs.pem'), '');
  await writeOut(folder, set('certs/shop_a.pem', 'certs/shop_b.pem'));
  await writeOut(folder, set('certs/shop_b.pem'));
  const found = ['shop_a', 'shop_b', 'other_theirs'].map((name) =>
    existsSync(join(folder, `certs/${name}.pem`)),
  );
  expect(found).toEqual([false, true, true]);
});

test('a manipulated list of files removes nothing outside the folder', async () => {
  const folder = join(scratch, 'named');
  mkdirSync(folder);
  const outside = join(scratch, 'outside');
  writeFileSync(outside, '');
  writeFileSync(join(folder, '.written-by-hawser'), `../outside\n${outside}\n`);
  await writeOut(folder, set('certs/shop_a.pem'));
  expect(existsSync(outside)).toBe(true);
});

test.each([
  ['written out', writeOut],
  ['tried', writeTrial],
] as const)(
  'keys of a set that is %s are readable only by their owner, whatever the umask',
  async (what, write) => {
    const folder = join(scratch, what);
    mkdirSync(folder);
    const before = process.umask(0);
    await write(folder, set('certs/shop_a.pem', 'certs/_default.pem')).finally(() => process.umask(before));
    const modes = ['shop_a', '_default'].map(
      (name) => statSync(join(folder, `certs/${name}.pem`)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
    expect(readFileSync(join(folder, 'haproxy.cfg'), 'utf8')).toBe(`default-path origin ${folder}\n`);
  },
);
