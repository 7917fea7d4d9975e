import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { virtualRouterIds } from '../../../src/vip/group/virtual-router-id.ts';
import { useLoneNode } from '../../helpers/lone-node.ts';
import { hawser } from '../../helpers/supervisor-build.ts';

/** No API server answers on this node. */
const node = useLoneNode();
const { at } = node;
beforeEach(() => {
  writeFileSync(
    at('kubeconfig'),
    `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: 'https://api-int.bed.example:6443' } }]
contexts: [{ name: c, context: { cluster: c, user: c } }]
users: [{ name: c, user: { token: secret } }]
`,
  );
  writeFileSync(
    at('c.yaml'),
    `kubeconfig: ${at('kubeconfig')}
apiVips: [10.77.0.100]
nodeName: a
source: static
servers: [a=10.77.0.1, b=10.77.0.2]
keepalived:
  template: ${at('template')}
  config: ${at('keepalived.conf')}
  virtualRouterIds: [77, 78]
`,
  );
});

const run = (flags: readonly string[], env: readonly string[] = []) => {
  const command = ['show-config', 'keepalived', '--settings', at('c.yaml'), ...flags];
  return runCommand([...node.namespace.prefix, '/usr/bin/env', ...env, hawser, ...command], {
    timeoutMs: 60_000,
  });
};
const shown = async (...asked: Parameters<typeof run>) => {
  const { exitCode, stdout } = await run(...asked);
  return { exitCode, ...JSON.parse(stdout) };
};

test('the model of this node, and the source of each setting', async () => {
  const found = await shown(['--check-interval', '2s'], ['HAWSER_INTERFACE=eth0']);
  expect(found).toMatchObject({
    exitCode: 0,
    routerId: 'a',
    instances: [
      { name: 'API', interface: 'eth0', virtualRouterId: 77, peers: [{ name: 'b', address: '10.77.0.2' }] },
    ],
    settings: {
      checkInterval: { value: '2s', from: '--check-interval' },
      interface: { value: 'eth0', from: 'HAWSER_INTERFACE' },
      virtualRouterIds: { value: '77,78', from: `${at('c.yaml')}:9` },
      apiVips: { from: `${at('c.yaml')}:2` },
      source: { value: 'static', from: `${at('c.yaml')}:4` },
      clusterName: { value: 'bed', from: at('kubeconfig') },
    },
  });
});

test('the virtual router ids are derived from the cluster name; a flag overrides the kubeconfig', async () => {
  writeFileSync(
    at('c.yaml'),
    `apiVips: [10.77.0.100]\nnodeName: a\nsource: static\nservers: [a=10.77.0.1]\n`,
  );
  const places = [at('kubeconfig'), at('template'), at('keepalived.conf')];
  const named = await shown(['--cluster-name', 'typed', ...places]);
  expect(named.settings.clusterName).toEqual({ value: 'typed', from: '--cluster-name' });
  expect(named.instances[0].virtualRouterId).toBe(virtualRouterIds('typed').api);
  expect((await shown(places)).instances[0].virtualRouterId).toBe(virtualRouterIds('bed').api);
});

test('for a node that would not join, only the settings and the reason are shown', async () => {
  const { exitCode, stdout, stderr } = await run(['--interface', 'bond0']);
  expect(exitCode).toBe(1);
  expect(Object.keys(JSON.parse(stdout))).toEqual(['settings']);
  expect(JSON.parse(stdout).settings.interface).toEqual({ value: 'bond0', from: '--interface' });
  expect(stderr).toMatch(/"event":"group-not-ready".*bond0/);
});

test('without an API server and a saved list, the command says so', async () => {
  const { exitCode, stdout, stderr } = await run(['--source', 'nodes']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('"event":"group-not-ready"');
  expect(JSON.parse(stdout).settings.source).toEqual({ value: 'nodes', from: '--source' });
});
