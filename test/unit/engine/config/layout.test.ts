import { expect, test } from 'vitest';
import {
  isNameOnDisk,
  layoutOf,
  nameInSet,
  namesOnDiskIn,
  withNamesInSet,
} from '../../../../src/engine/config/layout.ts';
import { modeOf, type Rendered, SET_FOLDER } from '../../../../src/engine/config/set.ts';

const setWith = (certificate: string): Rendered => ({
  text: `crt-list ${SET_FOLDER}/certs.list\n`,
  mode: 0o644,
  others: [
    {
      name: 'certs.list',
      content: '# all\ncerts/a.pem a.example\nelsewhere b.example\ncerts.list c.example\n',
      namesFiles: true,
    },
    { name: 'certs/a.pem', content: certificate, secret: true },
  ],
});

test('in a list, the files of its set have their names on disk, and the rest is unchanged', () => {
  const layout = layoutOf(setWith('one'));
  const certificate = layout.get('certs/a.pem')?.name ?? '';
  expect(certificate).toMatch(/^certs\/a\.[0-9a-f]{16}\.pem$/);
  expect(layout.get('certs.list')?.content).toBe(
    `# all\n${certificate} a.example\nelsewhere b.example\ncerts.list c.example\n`,
  );
});

test('a file that does not refer to others is stored unchanged', () => {
  expect(layoutOf(setWith('certs.list')).get('certs/a.pem')?.content).toBe('certs.list');
});

test('a changed certificate gets another name, and so does the list that refers to it', () => {
  const names = ['one', 'two'].map((each) => [...layoutOf(setWith(each)).values()].map(({ name }) => name));
  expect(new Set(names.flat()).size).toBe(4);
});

test('names on disk are translated back in paths and in messages', () => {
  const name = layoutOf(setWith('one')).get('certs/a.pem')?.name ?? '';
  const path = `/etc/haproxy/haproxy.cfg.files/${name}`;
  expect([isNameOnDisk(name), isNameOnDisk('certs/a.pem')]).toEqual([true, false]);
  expect([nameInSet(path), nameInSet('/etc/haproxy/other.pem')]).toEqual([
    'certs/a.pem',
    '/etc/haproxy/other.pem',
  ]);
  expect(namesOnDiskIn(`crt ${path} alpn h2`)).toEqual(new Map([['certs/a.pem', name]]));
  expect(withNamesInSet(`cannot read ${path}, line 3`)).toBe('cannot read certs/a.pem, line 3');
});

test('a secret is readable only by its owner, whatever the mode of the main file', () => {
  const file = { name: 'a', content: '' };
  const modes = [
    modeOf({ ...file, secret: true }, 0o644),
    modeOf(file, 0o644),
    modeOf({ ...file, secret: false }, 0o640),
  ];
  expect(modes).toEqual([0o600, 0o644, 0o640]);
});
