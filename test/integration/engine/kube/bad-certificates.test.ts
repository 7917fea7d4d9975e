import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  certificateUser,
  createTestCluster,
  kubeconfig,
  type TestCluster,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

type Files = Readonly<Record<'ca' | 'certFile' | 'keyFile', string>>;

let cluster: TestCluster;
let files: Files;

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
  files = {
    ca: join(cluster.dir, 'cluster-ca.crt'),
    certFile: join(cluster.dir, 'user.crt'),
    keyFile: join(cluster.dir, 'user.key'),
  };
  copyFileSync(cluster.authority.certFile, files.ca);
  copyFileSync(cluster.client.certFile, files.certFile);
  copyFileSync(cluster.client.keyFile, files.keyFile);
});

afterEach(() => cluster.remove());

function replaceByFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

test.each([
  ['CA that is missing', 'ca', (path: string) => rmSync(path), /ENOENT/],
  ['CA that is empty', 'ca', (path: string) => writeFileSync(path, ''), /it has no certificate/],
  ['CA that is garbage', 'ca', (path: string) => writeFileSync(path, 'garbage'), /it has no certificate/],
  ['certificate that is missing', 'certFile', (path: string) => rmSync(path), /ENOENT/],
  [
    'certificate that is garbage',
    'certFile',
    (path: string) => writeFileSync(path, 'garbage'),
    /it has no certificate/,
  ],
  ['certificate that is a folder', 'certFile', replaceByFolder, /it is a directory/],
  [
    'key that is garbage',
    'keyFile',
    (path: string) => writeFileSync(path, 'garbage'),
    /it has no private key/,
  ],
  [
    'key of another certificate',
    'keyFile',
    (path: string) => copyFileSync(cluster.authority.issue({ commonName: 'other' }).keyFile, path),
    /it is another certificate's key/,
  ],
] as const)(
  'a %s is reported with its file, and the API is used once it is fixed',
  async (_, part, damage, reason) => {
    const server = await cluster.start();
    const good = readFileSync(files[part]);
    damage(files[part]);
    const text = kubeconfig(server.url, 'CA', certificateUser(files));
    writeFileSync(
      cluster.kubeconfigPath,
      text.replace('certificate-authority-data: CA', `certificate-authority: ${files.ca}`),
    );
    const seen = watchNodes(cluster, { checkInterval: 100 });
    // On a busy machine a late answer may be reported first.
    const named = `Cannot use "${files[part]}", which the kubeconfig names: `;
    const said = () => seen.observations.map((item) => (item.kind === 'unavailable' ? item.message : ''));
    await waitFor('the file and the reason', () =>
      said().some((message) => message.includes(named) && reason.test(message)),
    );
    rmSync(files[part], { recursive: true, force: true });
    writeFileSync(files[part], good);
    await seen.sees(['cp-1=10.0.0.1']);
    await seen.stop();
  },
);
