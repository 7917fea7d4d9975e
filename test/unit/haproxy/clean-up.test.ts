import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHaproxyProgram } from '../../../src/haproxy/haproxy-program.ts';
import { testFolder } from '../../helpers/test-folder.ts';

test('at startup, only leftovers of killed supervisors in the run directory are removed', async () => {
  const dir = testFolder();
  const kept = [
    'haproxy.last-good.cfg',
    'hawser-generation-2.sock',
    '.haproxy.last-good.cfg.mine',
    'haproxy.pid',
  ];
  const left = ['hawser-generation-1.sock', '.haproxy.last-good.cfg.0123456789abcdef'];
  for (const name of [...kept, ...left]) writeFileSync(join(dir, name), '');
  const program = createHaproxyProgram({
    haproxy: '/usr/sbin/haproxy',
    config: join(dir, 'haproxy.cfg'),
    statsSocket: join(dir, 'haproxy.sock'),
    pidFile: join(dir, 'haproxy.pid'),
    stateFile: join(dir, 'server-state'),
    forceDeleteTimeout: 1_000,
  });
  await program.cleanUpAllBut([2]);
  expect(readdirSync(dir).toSorted()).toEqual(kept.toSorted());
});
