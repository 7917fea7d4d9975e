import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../../helpers/certificates.ts';
import { endChild } from '../../../helpers/child.ts';
import { readJsonLines } from '../../../helpers/load/json-lines.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

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
  // Reading a pipe waits for its writer, which never writes. Opening it for writing fails until there is a reader.
  execFileSync('mkfifo', [`${state}.new`]);
  renameSync(`${state}.new`, state);
  let writer: number | undefined;
  onTestFinished(() => {
    if (writer !== undefined) closeSync(writer);
  });
  await waitFor('the stand-in to read the pipe', () => {
    try {
      writer = openSync(state, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      return false;
    }
    return true;
  });
  const options = { ca: authority.cert, agent: false, timeout: 5_000 };
  const outgoing = request(`https://127.0.0.1:${portOf(port)}/readyz`, options);
  const [response] = await once(outgoing.on('timeout', () => outgoing.destroy()).end(), 'response');
  response.resume();
  expect(response.statusCode).toBe(200);
});

function portOf(line: unknown): number {
  return (line as { readonly port: number }).port;
}
