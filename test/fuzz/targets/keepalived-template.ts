import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  chooseServers,
  type ServerCandidate,
} from '../../../src/engine/kube/control-plane/choose-servers.ts';
import { vrrpGroups } from '../../../src/engine/system/network/multicast-membership.ts';
import { createKeepalivedCheck } from '../../../src/keepalived/check-configuration.ts';
import { namesIn, parseBlocks } from '../../../src/keepalived/parse-blocks.ts';
import { parseConfiguration } from '../../../src/keepalived/parse-configuration.ts';
import { mergeNodes } from '../../../src/vip/configuration/node-lists.ts';
import { buildKeepalivedModel } from '../../../src/vip/group/keepalived-model.ts';
import type { KeepalivedModel, KeepalivedSettings } from '../../../src/vip/group/vrrp.ts';
import { renderKeepalived } from '../../helpers/render-keepalived.ts';
import { candidates, vipLists } from '../hostile-nodes.ts';
import { JUDGE_WITHIN_MS, openJudged, RUN_DIR, type SideBySide, shippedTemplate } from '../judge.ts';
import { attackTogether, type Target } from '../target.ts';

const AT_ONCE = 100;
const { text: template, templatePath } = shippedTemplate('keepalived.conf');

const self = ['10.0.0.1', 'fd00::1'].map((address) => ({ name: 'a', address }));
const fixed = {
  ingressVips: [],
  nodeName: 'a',
  notifyFifo: `${RUN_DIR}/notify.fifo`,
  trackFiles: { api: `${RUN_DIR}/lb.track`, ingress: `${RUN_DIR}/ingress.track` },
};
const settings: fc.Arbitrary<KeepalivedSettings> = fc
  .record({
    apiVips: vipLists,
    clusterName: fc.constantFrom('managed', 'x', 'a-very-long-name.of-a-cluster'),
  })
  .map((chosen) => ({ ...fixed, ...chosen }));

export const keepalivedTemplate: Target = {
  name: 'keepalived-template',
  claim:
    'whatever nodes the API has, keepalived accepts the file or none is written, and its peers are those nodes',
  open: () =>
    openJudged(
      {
        checkWith: (run) =>
          createKeepalivedCheck({ keepalivedPath: '/usr/sbin/keepalived', timeoutMs: JUDGE_WITHIN_MS, run }),
        sideBySide,
        interfaces: AT_ONCE,
      },
      (judge) =>
        attackTogether(fc.tuple(candidates, settings), {
          prepare,
          judge: async (texts) => {
            for (const alike of Map.groupBy(texts, headOf).values()) await judge(alike);
          },
          atOnce: AT_ONCE,
        }),
    ),
};

function prepare([found, chosen]: readonly [readonly ServerCandidate[], KeepalivedSettings]) {
  const built = buildKeepalivedModel({
    settings: chosen,
    controlPlane: mergeNodes([self, ...chosen.apiVips.map((vip) => listFor(vip, found))]),
    allNodes: [],
    routes: [],
    interfaces: [{ name: 'eth0', addresses: ['10.0.0.1/24', 'fd00::1/64'] }],
  });
  if (built.kind === 'not-ready') {
    assert.match(built.reason, /^Cannot /);
    return undefined;
  }
  const text = render(built.model);
  assert.deepEqual(factsOf(text), {
    vips: built.model.instances.map(({ vip }) => [vip]),
    peers: built.model.instances.map(peersOf),
  });
  return text;
}

/** Groups and instances come after the head, which has `global_defs` and track files. */
const parted = (text: string) => text.split(/^(?=vrrp_(?:sync_group|instance) )/m);
const headOf = (text: string) => parted(text)[0];

/** For files with the same head. Each instance gets its own name and interface, since a virtual router ID must be unique per interface. */
const sideBySide: SideBySide = (texts) =>
  texts
    .map((text, index) => {
      const [head = '', ...sections] = parted(text);
      const named = sections.map((section) =>
        section
          .replace(/^(vrrp_\w+ \S+) \{$/m, `$1-${index} {`)
          .replace(
            /^( {4}group \{\n)([^}]*)/m,
            (_, start: string, names: string) => `${start}${names.replaceAll(/\S+/g, `$&-${index}`)}`,
          )
          .replace(/^( {4}interface) eth0$/m, `$1 eth${index}`),
      );
      return `${index === 0 ? head : ''}${named.join('')}`;
    })
    .join('\n');

/** The list of nodes that the monitor keeps for a VIP. */
const listFor = (vip: string, found: readonly ServerCandidate[]) =>
  chooseServers(found, { vips: [vip], subnets: [] }).servers;

function render(model: KeepalivedModel): string {
  const outcome = renderKeepalived(template, model, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}

function factsOf(text: string) {
  const blocks = parseBlocks(text).filter(({ words: [what] }) => what === 'vrrp_instance');
  return {
    vips: parseConfiguration(text).instances.map(({ vips }) => vips.map(({ address }) => address)),
    peers: blocks.map(({ children }) => namesIn(children, 'unicast_peer').toSorted()),
  };
}

/** A node without peers has the group's multicast address as a placeholder. */
function peersOf({ peers, family }: KeepalivedModel['instances'][number]): readonly string[] {
  return peers.length === 0 ? [vrrpGroups[family]] : peers.map(({ address }) => address).toSorted();
}
