import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { hawser } from '../../helpers/supervisor-build.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const said = async (...argv: readonly [string, ...string[]]) => {
  const { exitCode, stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
  return { exitCode, stdout, stderr };
};

test.each(['haproxy supervise', 'haproxy monitor', 'keepalived supervise', 'keepalived monitor'])(
  'hawser %s runs from its own bundle, with the same output as from the full one',
  async (name) => {
    const words = name.split(' ');
    const own = join(dist, words.join('-'), 'hawser.mjs');
    const whole = join(dist, 'hawser.mjs');
    for (const flag of ['--help', '--nonsense']) {
      const expected = await said(process.execPath, whole, ...words, flag);
      expect(expected.exitCode).toBe(flag === '--help' ? 0 : 2);
      const traced = await said('sh', '-x', hawser, ...words, flag);
      expect(traced.stderr).toContain(`${own} ${name} ${flag}`);
      const stderr = traced.stderr.replaceAll(/^\+.*\n/gm, '');
      expect({ ...traced, stderr }).toEqual(expected);
    }
  },
);

test("a supervisor's bundle has few files", () => {
  expect(readdirSync(join(dist, 'haproxy-supervise')).length).toBeLessThan(15);
});
