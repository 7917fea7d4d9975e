import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readClientCertificate } from '../../../../src/engine/kube/client-certificate.ts';
import { type LoadedKubeconfig, openKubeconfig } from '../../../../src/engine/kube/kubeconfig.ts';
import { kubeconfig } from '../../../helpers/api-server/observing.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const server = 'https://10.0.0.100:6443';
const text = kubeconfig(server, '', '{token: secret}');

let dir: string;

beforeEach(() => {
  dir = testFolder();
});

test('while a read hangs the last valid kubeconfig is used, and no second read starts', async () => {
  const reads: ((content: { readonly fingerprint: string; readonly text?: string }) => void)[] = [];
  const events: string[] = [];
  const read = () => new Promise<{ readonly fingerprint: string }>((resolve) => reads.push(resolve));
  const file = openKubeconfig('/kubeconfig', ({ event }) => events.push(event), { read, withinMs: 20 });
  await expect(file.load()).rejects.toThrow('it hangs');
  await expect(file.load()).rejects.toThrow('it hangs');
  expect(reads).toHaveLength(1);
  reads[0]?.({ fingerprint: '1', text });
  await new Promise(setImmediate);
  const loading = file.load();
  reads[1]?.({ fingerprint: '1', text });
  const { generation } = await loading;
  expect(await file.load()).toMatchObject({ generation });
  expect(reads).toHaveLength(3);
  expect(events).toEqual(['kubeconfig-unusable', 'kubeconfig-recovered', 'kubeconfig-unusable']);
});

/** A kubeconfig with this user, in `dir`. */
async function load(user: string): Promise<LoadedKubeconfig> {
  const path = join(dir, 'kubeconfig');
  writeFileSync(path, kubeconfig(server, '', user));
  return await openKubeconfig(path, () => undefined).load();
}

test.each(['tokenFile', 'token-file'])(
  'a %s that is a FIFO is refused: the process would block on it',
  async (field) => {
    execFileSync('mkfifo', [join(dir, 'token')]);
    const { files } = await load(`{${field}: token}`);
    await expect(files()).rejects.toThrow('it is not a regular file');
  },
);

test.each([
  ['exec', '{exec: {command: /bin/true}}'],
  ['an auth-provider', '{auth-provider: {name: gcp, config: {cmd-path: /bin/true}}}'],
])('a user that runs a program by %s is refused, with the alternatives', async (_, user) => {
  await expect(load(user)).rejects.toThrow(
    /its user runs a program \(exec\), expected client certificate files, a token or a tokenFile$/,
  );
});

test.each(['0.5', '[a]', '{a: 1}'])(
  'a certificate that is %s instead of text is refused, and the error names it',
  async (value) => {
    const loading = load(`{client-certificate-data: ${value}, client-key-data: ${value}}`);
    await expect(loading).rejects.toThrow(/^Cannot use kubeconfig .*client-certificate-data cannot be used/);
  },
);

test('requests and the reported expiry use embedded certificates rather than files, like kubectl', async () => {
  const authority = createAuthority(join(dir, 'pki'));
  const [used, unused] = ['used', 'unused'].map((commonName) => authority.issue({ commonName }));
  const data = (pem = ''): string => Buffer.from(pem).toString('base64');
  const loaded = await load(
    `{client-certificate: ${unused?.certFile}, client-key: ${unused?.keyFile}, client-certificate-data: ${data(used?.cert)}, client-key-data: ${data(used?.key)}}`,
  );
  expect(await loaded.files()).toEqual({});
  expect(await readClientCertificate(loaded)).toMatchObject({ subject: 'CN=used' });
});

test('a kubeconfig with a tokenFile and broken users is reported', async () => {
  writeFileSync(join(dir, 'kubeconfig'), 'users: 7 # tokenFile');
  const loading = openKubeconfig(join(dir, 'kubeconfig'), () => undefined).load();
  await expect(loading).rejects.toThrow(
    /Cannot use kubeconfig ".*": its users cannot be read, expected a complete kubeconfig/,
  );
});
