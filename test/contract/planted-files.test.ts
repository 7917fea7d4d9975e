import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../helpers/test-folder.ts';

// What others plant at a path that hawser writes to must not redirect or block the writer.
let dir: string;
beforeEach(() => {
  dir = testFolder();
  writeFileSync(at('victim'), 'precious', { mode: 0o644 });
  const states = ['link', 'dangling', 'fifo'].map((name) => `server-state-file ${at(name)}\n`);
  writeFileSync(at('haproxy.cfg'), `load-server-state-from-file global\n${states.join('')}`);
  symlinkSync(at('victim'), at('link'));
  symlinkSync(at('nothing'), at('dangling'));
  execFileSync('mkfifo', ['-m', '644', at('fifo')]);
  mkdirSync(at('folder'));
});
const at = (name: string): string => join(dir, name);
const program = fileURLToPath(new URL('../fixtures/write-once.ts', import.meta.url));
/** A writer that blocks is killed after this. */
const TIMEOUT_MS = 120_000;

test.each([
  ['track file', 'a file', '"event":"track-file-not-written".*EISDIR'],
  // HAProxy starts without the file, and says so itself.
  ['saved state', 'a file', undefined],
  ['forgotten state', 'a file', undefined],
  ['output', 'a file', 'not opened'],
  ['notify FIFO', 'a FIFO', 'Cannot use notify FIFO'],
  ['run file', 'a file', 'EISDIR'],
])(
  'at the path of the %s, a link or a FIFO is replaced by %s, and a folder is left and reported: %s',
  (writer, leaves, ofFolder) => {
    const paths = ['link', 'dangling', 'fifo', 'folder'].map(at);
    const options = { encoding: 'utf8', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      [program, writer, ...paths],
      options,
    );
    expect(signal ?? status, `${stdout}${stderr}`).toBe(0);
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
    expect(lstatSync(at('victim')).mode & 0o777).toBe(0o644);
    expect(lstatSync(at('nothing'), { throwIfNoEntry: false })).toBeUndefined();
    const kinds = ['link', 'dangling', 'fifo'].map((name) => {
      const found = lstatSync(at(name));
      if (found.isFIFO()) return 'a FIFO';
      return found.isFile() ? 'a file' : 'something else';
    });
    expect(kinds).toEqual([leaves, leaves, leaves]);
    expect(lstatSync(at('folder')).isDirectory()).toBe(true);
    if (ofFolder !== undefined) expect(stdout).toMatch(new RegExp(`${at('folder')}: .*${ofFolder}`));
  },
  TIMEOUT_MS + 60_000,
);
