import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { layoutOf } from '../../../../src/engine/config/layout.ts';
import { type Rendered, SET_FOLDER } from '../../../../src/engine/config/set.ts';
import { createSetFiles } from '../../../../src/engine/config/set-files.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

let dir: string;
beforeEach(() => {
  dir = testFolder();
});
const set: Rendered = {
  text: `crt-list ${SET_FOLDER}/certs.list\n`,
  mode: 0o644,
  others: [
    { name: 'certs.list', content: 'certs/a.pem a.example\n', namesFiles: true, secret: false },
    { name: 'certs/a.pem', content: 'key', secret: true, namesFiles: false },
  ],
};
const folder = () => join(dir, 'main.cfg.files');
const onDisk = (name: string) => layoutOf(set).get(name)?.name ?? '';
const pathOf = (name: string) => join(folder(), onDisk(name));
const names = () => [onDisk('certs.list'), onDisk('certs/a.pem')];
const found = (name: string) => [
  lstatSync(pathOf(name)).isFile(),
  lstatSync(pathOf(name)).mode & 0o777,
  readFileSync(pathOf(name), 'utf8'),
];

test('the missing files of a set are written once, and a secret only its owner can read', async () => {
  const files = createSetFiles();
  expect((await files.fill(folder(), set)).toSorted()).toEqual(names().toSorted());
  expect(found('certs/a.pem')).toEqual([true, 0o600, 'key']);
  expect(found('certs.list')).toEqual([true, 0o644, `${onDisk('certs/a.pem')} a.example\n`]);
  await files.sync();
  expect(await files.fill(folder(), set, 'thorough')).toEqual([]);
  expect(await createSetFiles().fill(folder(), set)).toEqual([]);
});

test.each([
  ['edited', (path: string) => writeFileSync(path, 'eky')],
  ['removed', (path: string) => rmSync(path)],
  ['made readable for others', (path: string) => chmodSync(path, 0o644)],
  [
    'replaced by a link',
    (path: string) => {
      renameSync(path, join(dir, 'moved'));
      symlinkSync(join(dir, 'moved'), path);
    },
  ],
  [
    'replaced by a folder',
    (path: string) => {
      rmSync(path);
      mkdirSync(join(path, 'below'), { recursive: true });
    },
  ],
])('a file of a set that was %s is rewritten, by this process and by the next', async (_how, spoil) => {
  const files = createSetFiles();
  await files.fill(folder(), set);
  for (const fill of [
    () => files.fill(folder(), set, 'thorough'),
    () => createSetFiles().fill(folder(), set),
  ]) {
    spoil(pathOf('certs/a.pem'));
    expect(await fill()).toEqual([onDisk('certs/a.pem')]);
    expect(found('certs/a.pem')).toEqual([true, 0o600, 'key']);
  }
});

test('if a set cannot be written completely, none of its files remains', async () => {
  const unwritable: Rendered = {
    ...set,
    others: [...(set.others ?? []), { name: 'x'.repeat(300), content: '' }],
  };
  await expect(createSetFiles().fill(folder(), unwritable)).rejects.toThrow('ENAMETOOLONG');
  for (const name of names())
    expect(lstatSync(join(folder(), name), { throwIfNoEntry: false })).toBeUndefined();
});
