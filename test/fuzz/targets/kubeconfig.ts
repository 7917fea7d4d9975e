import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { openKubeconfig } from '../../../src/engine/kube/kubeconfig.ts';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { bytesNear, jsonNear } from '../hostile.ts';
import { openScratchFolder } from '../scratch-folder.ts';
import { attackWith, type OpenTarget, type Target } from '../target.ts';

async function open(): Promise<OpenTarget> {
  const scratch = openScratchFolder();
  const dir = scratch.path;
  const path = join(dir, 'kubeconfig');
  const config = completeConfig(dir);
  const contents = fc.oneof(
    bytesNear([stringify(config), JSON.stringify(config)]),
    jsonNear([config]).map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    fc.nat(3_000).map((depth) => Buffer.from('['.repeat(depth))),
  );
  const attack = attackWith(contents, async (content) => {
    writeFileSync(path, content);
    const file = openKubeconfig(path, () => {});
    try {
      assert.equal((await file.load()).server.protocol, 'https:');
    } catch (error) {
      assert.match(messageOf(error), /^Cannot /);
    }
  });
  return {
    attack,
    [Symbol.asyncDispose]: async () => scratch[Symbol.dispose](),
  };
}

function completeConfig(dir: string) {
  const authority = createAuthority(join(dir, 'pki'));
  const { certFile, keyFile } = authority.issue({ commonName: 'hawser' });
  const data = (file: string) => readFileSync(file).toString('base64');
  const cluster = { server: 'https://10.0.0.5:6443', 'certificate-authority-data': data(authority.certFile) };
  const user = { 'client-certificate-data': data(certFile), 'client-key-data': data(keyFile) };
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'true', interactiveMode: 'Never' };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [
      { name: 'hawser', user },
      { name: 'plugin', user: { exec } },
    ],
    contexts: [
      { name: 'test', context: { cluster: 'test', user: 'hawser' } },
      { name: 'other', context: { cluster: 'test', user: 'plugin' } },
    ],
    'current-context': 'test',
  };
}

export const kubeconfig: Target = {
  name: 'kubeconfig',
  claim: 'a kubeconfig is loaded with an https server, or refused with a reason',
  open,
};
