import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { virtualRouterIds } from '../../../../src/vip/group/virtual-router-id.ts';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { defaultLoadBalancerSettings } from '../../../helpers/load-balancer-settings.ts';
import { addAddress } from '../../../helpers/net-namespace.ts';
import { renderLoadBalancer } from '../../../helpers/render-load-balancer.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let holder: InstallNode;
const templatePath = join(import.meta.dirname, '../../../../templates/haproxy.cfg.ejs');

beforeEach(async () => {
  holder = await createInstallNode();
});

const clusterNameOf = (node: InstallNode): string => parse(node.read('/etc/hawser/config.yaml')).clusterName;

/** A node's HAProxy with these settings, in a neighbouring namespace that has the VIP. */
async function serve(clusterName: string, vip: string): Promise<void> {
  const at = (name: string) => join(holder.root, name);
  const settings = {
    ...defaultLoadBalancerSettings,
    clusterName,
    statsSocket: at('s'),
    stateFile: at('state'),
  };
  const rendered = renderLoadBalancer(readFileSync(templatePath, 'utf8'), settings, [], { templatePath });
  if (rendered.kind === 'failed') throw new Error(rendered.message);
  holder.write('haproxy.cfg', rendered.text);
  await addAddress(holder.neighbour, 'eth0', `${vip}/24`);
  const [command, ...prefix] = holder.neighbour.prefix;
  spawn(command, [...prefix, 'haproxy', '-W', '-f', at('haproxy.cfg')], { stdio: 'ignore' });
  await waitFor('HAProxy to answer', () =>
    holder.neighbour.run('curl', '-s', 'http://127.0.0.1:9444/haproxy_ready').then(
      (text) => text.includes('200'),
      () => false,
    ),
  );
}

test('a node that joins after a change of the VIP gets the same router ids as the other nodes', async () => {
  await holder.run('install', '--yes', '--api-vip', '10.0.0.150', '--first-node');
  await holder.run('install', '--yes', '--api-vip', '10.0.0.100');
  const name = clusterNameOf(holder);
  await serve(name, '10.0.0.100');
  // A separate machine on the same segment, with an empty root.
  await holder.run('uninstall');
  const joined = await holder.run('install', '--yes', '--api-vip', '10.0.0.100', '--join');
  expect(joined).toMatchObject({ exitCode: 0, stderr: '' });
  expect(clusterNameOf(holder)).toBe(name);
  expect(virtualRouterIds(clusterNameOf(holder))).toEqual(virtualRouterIds('10-0-0-150'));
});
