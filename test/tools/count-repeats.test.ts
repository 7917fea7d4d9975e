import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countRepeats } from '../../scripts/count-repeats.ts';

test('a repeated test counts once per run over the last ten runs, if the newest run repeated it', () => {
  const old = [['a'], ['a', 'a'], ['b']];
  const quiet = Array.from({ length: 7 }, () => []);
  expect(countRepeats([...old, ['a', 'a', 'c']])).toEqual(
    new Map([
      ['a', 3],
      ['c', 1],
    ]),
  );
  expect(countRepeats([...old, ...quiet, ['a']])).toEqual(new Map([['a', 2]]));
  expect(countRepeats([...old, []])).toEqual(new Map());
});

test('hide-installed.sh passes on the file for repeats, but no settings', () => {
  const script = join(import.meta.dirname, '../../scripts/hide-installed.sh');
  const env = { ...process.env, HAWSER_REPEATS: '/tmp/repeats', HAWSER_LOG_LEVEL: 'debug' };
  const output = execFileSync('sh', [script, 'env'], { encoding: 'utf8', env });
  expect(output).toContain('HAWSER_REPEATS=/tmp/repeats');
  expect(output).not.toContain('HAWSER_LOG_LEVEL');
});
