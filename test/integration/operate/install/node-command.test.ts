import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { ensureBuilt } from '../../../helpers/supervisor-build.ts';

let node: InstallNode;
const COMMAND = '/usr/local/bin/hawser';

beforeAll(ensureBuilt);
beforeEach(async () => {
  node = await createInstallNode();
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
});

test('the command for people is shown, written, recorded, brought up to date, and removed', async () => {
  // One that was copied from an older image is one of ours.
  node.write(COMMAND, '#!/bin/sh\n# hawser on a node: of yesterday\n');
  const dry = await node.install('--dry-run');
  expect(dry.stdout).toContain(`+++ ${COMMAND}`);
  await node.install();
  const text = node.read(COMMAND);
  expect(text).toMatch(/^#!\/bin\/sh\n# hawser on a node:/);
  expect(node.read('/etc/hawser/installed.json')).toContain(COMMAND);
  expect((await node.install()).stdout).toContain('already up to date');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree().filter((line) => line.includes('bin/hawser'))).toEqual([]);
});

test.each([
  ['a program of the same name', () => node.write(COMMAND, '#!/bin/sh\necho mine\n')],
  [
    'a link',
    () => {
      mkdirSync(join(node.root, '/usr/local/bin'), { recursive: true });
      symlinkSync('/bin/sh', join(node.root, COMMAND));
    },
  ],
])('install and uninstall do not touch %s', async (_, make) => {
  make();
  const before = node.tree('exact').filter((line) => line.includes('bin/hawser'));
  const installed = await node.install();
  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(installed.stdout).toContain(`notice: ${COMMAND} is not written: it is there already`);
  expect(node.read('/etc/hawser/installed.json')).not.toContain(COMMAND);
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0 });
  expect(node.tree('exact').filter((line) => line.includes('bin/hawser'))).toEqual(before);
});

test('a node with a read-only /usr still gets its pods', async () => {
  node.write('/usr/local', 'a file is where the folder should be');
  chmodSync(join(node.root, '/usr/local'), 0o444);
  const installed = await node.install();
  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(installed.stdout).toContain(`notice: ${COMMAND} is not written: `);
});
