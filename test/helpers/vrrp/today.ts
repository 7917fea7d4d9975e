import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderTemplate } from '../../../src/engine/render/render-template.ts';
import { virtualRouterIds } from '../../../src/vip/group/virtual-router-id.ts';
import { pidFileFlags } from '../keepalived-process.ts';
import { type BedNode, waitForProgram } from './bed-node.ts';
import { sendSignal, waitForEnd } from './bed-process.ts';
import { type NodeStack, stackPorts } from './node-stack.ts';
import type { VrrpBed } from './vrrp-bed.ts';

/** Configurations that are in use today, see test/fixtures/keepalived. IPv4 only, like those. */
type TodayKind = 'openshift' | 'kubeadm';

/** Without a kubelet, which would restart what ends: killed programs stay dead until they are restored. */
export function createTodayStack(bed: VrrpBed, kind: TodayKind, first: readonly BedNode[]): NodeStack {
  let members = first;
  const write = (node: BedNode) => writeFiles(bed, kind, node, members);
  const startHaproxy = async (node: BedNode) => {
    if (node.running('haproxy').length > 0) return;
    node.start('haproxy', ['/usr/sbin/haproxy', '-W', '-db', '-f', node.at('haproxy.cfg')]);
    await waitForProgram(node, 'haproxy');
  };
  const startKeepalived = async (node: BedNode) => {
    if (node.running('keepalived').length > 0) return;
    node.start('keepalived', keepalivedArgv(node));
    await waitForProgram(node, 'keepalived');
  };
  const tell = (nodes: readonly BedNode[]) => {
    for (const node of nodes) {
      write(node);
      // To the daemon, which tells its child. kubeadm's configuration has no peers.
      if (kind === 'openshift') sendSignal(node.running('keepalived').slice(0, 1), 'SIGHUP');
    }
  };
  return {
    start: async (node) => {
      write(node);
      await startHaproxy(node);
      await startKeepalived(node);
    },
    restoreHaproxy: startHaproxy,
    restoreKeepalived: startKeepalived,
    keepalivedMain: (node) => node.running('keepalived').slice(0, 1),
    join: async (node, next) => {
      members = next;
      tell(next.filter((each) => each !== node));
      write(node);
      await startHaproxy(node);
      await startKeepalived(node);
    },
    leave: async (node, next) => {
      const keepalived = node.running('keepalived');
      sendSignal(keepalived.slice(0, 1), 'SIGTERM');
      await waitForEnd(keepalived);
      members = next;
      tell(next);
    },
  };
}

function keepalivedArgv(node: BedNode): readonly string[] {
  const pids = pidFileFlags((name) => node.at(`keepalived.${name}`));
  const how = ['--dont-fork', '--vrrp', '--log-console', '--log-detail'];
  return ['/usr/sbin/keepalived', ...how, ...pids, '--use-file', node.at('keepalived.conf')];
}

/** haproxy.cfg, keepalived.conf and its scripts, as today's monitors render them for a node. */
function writeFiles(bed: VrrpBed, kind: TodayKind, node: BedNode, members: readonly BedNode[]): void {
  const { at } = node;
  const firewallRule = at('firewall-rule');
  const model = {
    ports: stackPorts,
    vip: bed.vip,
    virtualRouterId: virtualRouterIds('cluster').api,
    device: node.device,
    address: node.address,
    first: node === bed.nodes[0],
    peers: members.filter((each) => each !== node).map(({ address }) => address),
    servers: members.map(({ name, address }) => ({ name, endpoint: `${address}:${stackPorts.api}` })),
    firewallRule,
    script: { lb: at('lb.sh'), both: at('both.sh'), api: at('api.sh') },
  };
  const rendered = (fixture: string) => renderFixture(`keepalived/${kind}${fixture}.ejs`, model);
  writeFileSync(at('haproxy.cfg'), rendered('.haproxy.cfg'));
  writeFileSync(at('keepalived.conf'), rendered('.conf'));
  for (const name of kind === 'openshift' ? ['lb', 'both'] : ['api']) {
    writeFileSync(at(`${name}.sh`), scriptIn(rendered(`-${name}.sh`)));
    chmodSync(at(`${name}.sh`), 0o700);
  }
  // The pod's monitor creates this file once the firewall rule is in place. Here the client uses HAProxy's own port.
  writeFileSync(firewallRule, '');
}

/**
 * Drops the mark in front of `#!`. The kernel refuses a script that begins with anything else; keepalived then tries no
 * shell, and counts the check as passed.
 */
function scriptIn(rendered: string): string {
  return rendered.slice(rendered.indexOf('#!'));
}

/** Renders a template of test/fixtures. */
export function renderFixture(name: string, model: object): string {
  const path = fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
  const outcome = renderTemplate(readFileSync(path, 'utf8'), model, { templatePath: path });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}
