import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { readProcess } from '../../../src/engine/system/process/processes.ts';
import { node } from '../../helpers/api-server/objects.ts';
import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type ClusterFile, changeObjects, readClusterFile, thisNode } from './cluster-file.ts';
import { kubeconfig } from './kubeconfig.ts';

/**
 * Stands in for kubeadm on one node, as far as it concerns hawser: an API server that starts to listen on 6443 and is
 * waited for at the control-plane endpoint, a Node, and credentials. The first argument names the cluster file.
 */
const [file, ...argv] = process.argv.slice(2);
const cluster = readClusterFile(file);
const self = thisNode(cluster);

const KUBERNETES = '/etc/kubernetes';
const AUTHORITY = `${KUBERNETES}/pki/ca.crt`;
/** As long as kubeadm waits for its control plane. */
const PATIENCE_MS = 240_000;

const endpoint = await play(argv.join(' '));
process.stdout.write(`[stand-in for kubeadm] done${endpoint === undefined ? '' : `: ${endpoint} answers`}\n`);

async function play(line: string): Promise<string | undefined> {
  const [, init] = /^init --control-plane-endpoint (\S+) --upload-certs$/.exec(line) ?? [];
  if (init !== undefined) return await makeControlPlane(init, 'init');
  const [, join] = /^join (\S+) --control-plane …$/.exec(line) ?? [];
  if (join !== undefined) return await makeControlPlane(join, 'join');
  const [, user] = /^kubeconfig user --client-name (\S+) --validity-period \d+h$/.exec(line) ?? [];
  if (user !== undefined) process.exit(printKubeconfig(user));
  if (line === 'reset --force') return await reset();
  throw new Error(`Cannot play "kubeadm ${line}": no document mentions it`);
}

async function makeControlPlane(endpoint: string, how: 'init' | 'join'): Promise<string> {
  if (await answers('127.0.0.1:6443')) throw new Error('[ERROR Port-6443]: Port 6443 is in use');
  // A joining node asks the cluster before it does anything else.
  if (how === 'join') await reach(endpoint);
  mkdirSync(`${KUBERNETES}/pki`, { recursive: true });
  copyFileSync(cluster.authorityFile, AUTHORITY);
  for (const name of ['admin.conf', 'kubelet.conf'])
    writeFileSync(`${KUBERNETES}/${name}`, kubeconfig(cluster, endpoint), { mode: 0o600 });
  startApiServer(cluster);
  await reach(how === 'init' ? endpoint : `${self.address}:6443`);
  changeObjects(cluster, (objects) => [...objects, node(self.name, [self.address])]);
  return endpoint;
}

async function reach(endpoint: string): Promise<void> {
  await waitFor(`${endpoint} to answer`, () => answers(endpoint), PATIENCE_MS);
}

/** True if it answers with a certificate of the cluster's authority for this very address. */
function answers(endpoint: string): Promise<boolean> {
  const options = { ca: readFileSync(cluster.authorityFile), timeout: 1_000, agent: false };
  return new Promise((resolve) => {
    const request = get(`https://${endpoint}/healthz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

function pidFile(): string {
  return `${self.dir}/apiserver.json`;
}

/** It outlives this process, as the kubelet's containers do. */
function startApiServer({ apiServer: [program = '', ...args] }: ClusterFile): void {
  const log = openSync(`${self.dir}/apiserver.log`, 'a');
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log] });
  child.unref();
  writeFileSync(pidFile(), JSON.stringify(readProcess(child.pid ?? 0)?.id));
}

function printKubeconfig(user: string): number {
  // Without --config, kubeadm names this node's own API server, not the control-plane endpoint (kubernetes/kubeadm#3267).
  process.stdout.write(kubeconfig(cluster, `${self.address}:6443`, user));
  return 0;
}

async function reset(): Promise<undefined> {
  const api = JSON.parse(readFileSync(pidFile(), 'utf8'));
  sendSignal([api], 'SIGTERM');
  await waitForEnd([api]);
  rmSync(`${KUBERNETES}/pki`, { recursive: true });
  for (const name of ['admin.conf', 'kubelet.conf']) rmSync(`${KUBERNETES}/${name}`);
}
