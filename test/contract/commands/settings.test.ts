import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { hawserHere } from '../../helpers/hawser-here.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let directory: string;
const at = (name: string) => join(directory, name);

beforeEach(() => {
  directory = testFolder();
});
/** For supervisors, which read the file with a separate program of their bundle. */
const start = (name: string, flags: readonly string[]) =>
  runCommand([hawser, ...name.split(' '), ...flags], { timeoutMs: 30_000 });

const daemons = [
  ['haproxy supervise', []],
  ['haproxy monitor', ['/k', '/t', '/c']],
  ['keepalived supervise', []],
  ['keepalived monitor', ['/k', '/t', '/c']],
  ['show-config', ['/k', '/t', '/c']],
  ['show-config keepalived', ['/k', '/t', '/c']],
] as const;

test.each(daemons)('%s does not start with a broken file, and reports every error', async (name, argv) => {
  writeFileSync(at('c.yaml'), 'apiPrt: 1\nkeepalived:\n  listen: broadcast\n');
  const flags = [...argv, '--settings', at('c.yaml')];
  const result = await (name.endsWith('supervise') ? start(name, flags) : hawserHere(name, flags));
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).toBe((await hawserHere('settings', ['--settings', at('c.yaml')])).stderr);
  expect(result.stderr).toMatch(
    /c\.yaml:1: .*apiPrt.*apiPort\?\n.*c\.yaml:3: .*keepalived\.listen "broadcast"/,
  );
});

test('show-config shows where each value comes from', async () => {
  writeFileSync(
    at('c.yaml'),
    'source: static\nservers: [a=10.0.0.1]\napiPort: 7443\nhaproxy:\n  config: /c\n',
  );
  const result = await hawserHere('show-config', [
    '/k',
    '/t',
    at('c'),
    '--lb-port=1',
    '--settings',
    at('c.yaml'),
  ]);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toMatchObject({
    servers: [{ endpoint: '10.0.0.1:7443' }],
    settings: {
      apiPort: { value: '7443', from: `${at('c.yaml')}:3` },
      lbPort: { value: '1', from: '--lb-port' },
      config: { from: 'CONFIG' },
      settle: { value: '500ms', from: 'default' },
    },
  });
});

test.each([
  ['missing', () => undefined, /ENOENT/],
  ['a directory', () => mkdirSync(at('c.yaml')), /is a directory/],
  ['a FIFO without a writer', () => execFileSync('mkfifo', [at('c.yaml')]), /not a regular file/],
  ['huge', () => writeFileSync(at('c.yaml'), Buffer.alloc(300_000, 'a')), /300000 bytes/],
  ['not text', () => writeFileSync(at('c.yaml'), Buffer.from([0xff, 0xfe, 0x00])), /not UTF-8/],
  ['empty', () => writeFileSync(at('c.yaml'), ''), /is empty/],
])('a file that is %s is refused, and the error names it', async (_what, make, message) => {
  make();
  const result = await hawserHere('settings', ['--settings', at('c.yaml')]);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).toContain(at('c.yaml'));
  expect(result.stderr).toMatch(message);
});
