import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { MAX_CONFIGURATION_BYTES } from '../../../src/engine/config/limits.ts';
import { readConfiguration } from '../../../src/haproxy/read-configuration.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

const dir = fileFolder();
beforeAll(() => {
  writeFileSync(join(dir, 'empty'), '');
  mkdirSync(join(dir, 'directory'));
  symlinkSync('loop', join(dir, 'loop'));
  writeFileSync(join(dir, 'huge'), 'x');
  truncateSync(join(dir, 'huge'), MAX_CONFIGURATION_BYTES + 1);
  writeFileSync(join(dir, 'good'), 'global\n');
  symlinkSync('good', join(dir, 'link'));
});

test.each([
  ['missing', 'it does not exist'],
  ['empty', 'it is empty'],
  ['directory', 'it is a directory'],
  ['loop', 'ELOOP'],
  ['huge', `it has ${MAX_CONFIGURATION_BYTES + 1} bytes`],
])('a file that is %s is refused with the reason', (name, reason) => {
  const found = readConfiguration(join(dir, name));
  expect(found).toMatchObject({ kind: 'unusable', message: expect.stringContaining(reason) });
  expect(found).toMatchObject({
    message: expect.stringContaining(`Cannot use configuration "${join(dir, name)}"`),
  });
});

test.each(['good', 'link'])('a file that is %s is read, with the hash of its bytes', (name) => {
  const sha256 = createHash('sha256').update('global\n').digest('hex');
  const bytes = Buffer.from('global\n');
  expect(readConfiguration(join(dir, name))).toEqual({ kind: 'present', bytes, sha256, revision: sha256 });
});
