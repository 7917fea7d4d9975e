import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority } from '../../../helpers/certificates.ts';
import { startLogged } from '../../../helpers/child.ts';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** The four containers of the installed pods, run as plain processes: the paths of their volumes are passed as flags. */
function startPods(node: InstallNode): void {
  const at = (path: string): string => join(node.root, path);
  for (const dir of ['pod/haproxy', 'pod/keepalived']) mkdirSync(at(dir), { recursive: true });
  const shared = ['--settings', at('etc/hawser/config.yaml')];
  const stats = ['--stats-socket', at('pod/haproxy/stats.sock'), '--state-file', at('pod/haproxy/state')];
  const resources = 'etc/kubernetes/static-pod-resources';
  const haproxy = ['--socket', at('pod/haproxy/s'), ...stats];
  const keepalived = ['--socket', at('pod/keepalived/s'), '--run-dir', at('pod/keepalived')];
  const [haproxyConfig, keepalivedConfig] = [
    at('etc/haproxy/haproxy.cfg'),
    at('etc/hawser-keepalived/keepalived.conf'),
  ];
  const monitorFiles = (template: string, config: string) => [
    at('etc/hawser/kubeconfig'),
    at(`${resources}/${template}`),
    config,
  ];
  const containers = [
    ['haproxy', 'supervise', '--config', haproxyConfig, ...haproxy, '--pid-file', at('pod/haproxy/pid')],
    ['haproxy', 'monitor', ...monitorFiles('haproxy/haproxy.cfg.ejs', haproxyConfig), ...haproxy],
    ['keepalived', 'supervise', '--config', keepalivedConfig, ...keepalived, '--realtime-priority', 'off'],
    [
      'keepalived',
      'monitor',
      ...monitorFiles('keepalived/keepalived.conf.ejs', keepalivedConfig),
      ...keepalived,
    ],
  ];
  for (const argv of containers)
    startLogged([...node.namespace.prefix, hawser, ...argv, ...shared], at('pod/log'));
}

test('without an API or a kubeconfig the pods bring the VIP up, and it leads to the API server as soon as that listens', async () => {
  const node = await createInstallNode();
  expect(await node.install('--first-node', '--ingress-vip', '10.0.0.101')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  startPods(node);
  await waitFor('the VIP', () =>
    node.namespace.run('ip', '-o', 'address', 'show', 'to', '10.0.0.100').then((text) => text !== ''),
  );
  const { certFile, keyFile } = createAuthority(join(node.root, 'pki')).issue({
    commonName: 'kube-apiserver',
  });
  const server = `const fs=require('fs');const [cert,key]=process.argv.slice(1).map((f)=>fs.readFileSync(f));require('https').createServer({cert,key},(q,r)=>r.end('ok')).listen(6443,'0.0.0.0')`;
  const [command, ...prefix] = node.namespace.prefix;
  spawn(command, [...prefix, process.execPath, '-e', server, certFile, keyFile], { stdio: 'ignore' });
  const ask = () => node.neighbour.run('curl', '-sk', '--max-time', '2', 'https://10.0.0.100:6443/readyz');
  expect(await waitFor('an answer at the VIP', () => ask().then((text) => text === 'ok'))).toBe(true);
  expect(node.read('/pod/log')).not.toMatch(/"event":"internal-error"/);
});
