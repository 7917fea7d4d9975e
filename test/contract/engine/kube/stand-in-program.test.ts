import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../../helpers/certificates.ts';
import { endChild } from '../../../helpers/child.ts';
import { readJsonLines } from '../../../helpers/load/json-lines.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const program = fileURLToPath(new URL('../../../helpers/api-server/main.ts', import.meta.url));

test('the stand-in answers while its state file cannot be read, as on a slow disk', async () => {
  const dir = testFolder();
  const authority = createAuthority(dir);
  const { certFile, keyFile } = authority.issue({ commonName: 'kube-apiserver', addresses: ['127.0.0.1'] });
  const state = join(dir, 'state.json');
  writeFileSync(state, '{}');
  const argv = [program, '--cert', certFile, '--key', keyFile, '--state', state];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  // SIGTERM would wait for the reading.
  onTestFinished(() => endChild(child, 'SIGKILL'));
  const port = await new Promise((resolve) => readJsonLines(child.stdout, resolve));
  // Opening a pipe waits for its writer, which never comes.
  execFileSync('mkfifo', [`${state}.new`]);
  renameSync(`${state}.new`, state);
  const answers = async () => {
    const options = { ca: authority.cert, agent: false, timeout: 5_000 };
    const outgoing = request(`https://127.0.0.1:${portOf(port)}/readyz`, options);
    const [response] = await once(outgoing.on('timeout', () => outgoing.destroy()).end(), 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  const startedAt = Date.now();
  // Longer than several readings are apart.
  while (Date.now() - startedAt < 500) expect(await answers()).toBe(200);
});

function portOf(line: unknown): number {
  return (line as { readonly port: number }).port;
}
