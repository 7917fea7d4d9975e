import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHaproxyProgram } from '../../../src/haproxy/haproxy-program.ts';
import { testFolder } from '../../helpers/test-folder.ts';

test('a start reports the number of files next to the main file', async () => {
  const dir = testFolder();
  const config = join(dir, 'haproxy.cfg');
  const folder = `${config}.files`;
  mkdirSync(join(folder, 'certs'), { recursive: true });
  for (const name of ['list', 'certs/a.pem', 'certs/b.pem']) writeFileSync(join(folder, name), '');
  const program = createHaproxyProgram({
    haproxy: '/bin/true',
    config,
    statsSocket: join(dir, 'haproxy.sock'),
    pidFile: join(dir, 'haproxy.pid'),
    stateFile: join(dir, 'server-state'),
    forceDeleteTimeout: 1_000,
  });
  writeFileSync(config, 'global');
  for (const setFiles of [3, 0]) {
    const outcome = program.start({ generation: 1, config: 'live', takeOver: false });
    expect(outcome).toMatchObject({ kind: 'started', setFiles });
    if (outcome.kind === 'started') await outcome.exited;
    rmSync(folder, { recursive: true, force: true });
  }
});
