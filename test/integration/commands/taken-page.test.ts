import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';

test('a router whose page port is in use exits and names the setting', async () => {
  const scratch = testFolder();
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  const kubeconfig = join(scratch, 'kubeconfig');
  const named = (what: object) => [{ name: 'a', ...what }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: named({ cluster: { server: 'https://127.0.0.1:1' } }),
      users: named({ user: { token: 'none' } }),
      contexts: named({ context: { cluster: 'a', user: 'a' } }),
      'current-context': 'a',
    }),
  );
  const taken = `127.0.0.1:${address.port}`;
  const flags = ['--listen', taken, '--kubeconfig', kubeconfig, '--config', join(scratch, 'haproxy.cfg')];
  const ended = runCommand([hawser, 'router', ...flags], { timeoutMs: 60_000 });
  expect(await ended.catch((error) => error)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`Cannot serve --listen "${taken}": listen EADDRINUSE`),
  });
});
