import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openCredentialFiles } from '../../../../src/engine/kube/credential-files.ts';
import type { RegularFile } from '../../../../src/engine/system/file/read-regular-file.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

let dir: string;

beforeEach(() => {
  dir = testFolder();
});

/** The contents do not matter here. */
const wrong = () => undefined;

const configOf = (ca: string, user: { readonly certFile?: string; readonly keyFile?: string }) => ({
  getCurrentCluster: () => ({ name: 'c', server: 'https://api', skipTLSVerify: false, caFile: ca }),
  getCurrentUser: () => ({ name: 'u', ...user }),
});

test('files on a dead mount block one thread in total, however many requests wait for them', async () => {
  const reads: { readonly path: string; readonly end: (file: RegularFile) => void }[] = [];
  const read = (path: string) => new Promise<RegularFile>((end) => reads.push({ path, end }));
  const config = configOf('/dead/ca.crt', { certFile: '/dead/cert.pem', keyFile: '/dead/key.pem' });
  const files = openCredentialFiles(config, { read, withinMs: 20, wrong });
  const requests = await Promise.allSettled([files(), files(), files()]);
  const late = await Promise.allSettled([files(), files()]);
  const said = [...requests, ...late].map((each) =>
    each.status === 'rejected' ? each.reason.message : each,
  );
  expect(said).toEqual(
    Array.from({ length: 5 }, () => 'Cannot use "/dead/ca.crt", which the kubeconfig names: it hangs'),
  );
  expect(reads.map(({ path }) => path)).toEqual(['/dead/ca.crt']);
});

test('once the mount is back, the files are read again', async () => {
  let isDead = true;
  const reads: ((file: RegularFile) => void)[] = [];
  const file = { bytes: Buffer.from('ca'), mode: 0o600, ctimeMs: 0 };
  const read = () => (isDead ? new Promise<RegularFile>((end) => reads.push(end)) : Promise.resolve(file));
  const files = openCredentialFiles(configOf('/mnt/ca.crt', {}), { read, withinMs: 20, wrong });
  await expect(files()).rejects.toThrow('it hangs');
  isDead = false;
  await expect(files()).rejects.toThrow('it hangs');
  reads[0]?.(file);
  await new Promise(setImmediate);
  expect(await files()).toEqual({ ca: Buffer.from('ca') });
});

test('a FIFO is refused with its name, and read once it is a regular file', async () => {
  const ca = join(dir, 'ca.crt');
  const key = join(dir, 'key.pem');
  writeFileSync(ca, 'ca');
  execFileSync('mkfifo', [key]);
  const files = openCredentialFiles(configOf(ca, { keyFile: key }), { wrong });
  await expect(files()).rejects.toThrow(
    `Cannot use "${key}", which the kubeconfig names: it is not a regular file`,
  );
  rmSync(key);
  writeFileSync(key, 'key');
  expect(await files()).toEqual({ ca: Buffer.from('ca'), key: Buffer.from('key') });
});

test.each(['', '\n'])('a token file that contains %j is refused, and the error names it', async (content) => {
  const token = join(dir, 'token');
  writeFileSync(token, content);
  const user = { name: 'u', authProvider: { name: 'tokenFile', config: { tokenFile: token } } };
  const files = openCredentialFiles({ ...configOf('', {}), getCurrentUser: () => user });
  await expect(files()).rejects.toThrow(
    `Cannot use "${token}", which the kubeconfig names: it is empty, expected a token`,
  );
});
