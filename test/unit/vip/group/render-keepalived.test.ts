import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeServerName } from '../../../../src/engine/kube/control-plane/server-name.ts';
import { createRenderThread } from '../../../../src/engine/render/render-in-thread.ts';
import type { ClusterNode } from '../../../../src/engine/system/network/cluster-node.ts';
import { buildKeepalivedModel } from '../../../../src/vip/group/keepalived-model.ts';
import type { KeepalivedModel, VrrpInstance } from '../../../../src/vip/group/vrrp.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { renderKeepalived } from '../../../helpers/render-keepalived.ts';

const templatePath = fileURLToPath(new URL('../../../../templates/keepalived.conf.ejs', import.meta.url));
const template = readFileSync(templatePath, 'utf8');
const render = (model: KeepalivedModel, text = template) => renderKeepalived(text, model, { templatePath });

function modelOf(others: readonly ClusterNode[]) {
  const built = buildKeepalivedModel({
    settings: {
      clusterName: 'managed',
      apiVips: ['10.0.0.5'],
      ingressVips: [],
      nodeName: 'a',
      notifyFifo: '/run/notify.fifo',
      trackFiles: { api: '/run/lb.track', ingress: '/run/ingress.track' },
    },
    controlPlane: [{ name: 'a', addresses: ['10.0.0.1'] }, ...others],
    allNodes: [],
    interfaces: [{ name: 'eth0', addresses: ['10.0.0.1/24'] }],
    routes: [],
  });
  if (built.kind === 'not-ready') throw new Error(built.reason);
  return built.model;
}
const two = modelOf([{ name: 'b', addresses: ['10.0.0.2'] }]);
const withInstance = (part: Partial<VrrpInstance>): KeepalivedModel => ({
  ...two,
  instances: two.instances.map((instance) => ({ ...instance, ...part })),
});

/** The first word of each line that is not a comment: keepalived's directives. */
const directives = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s/)[0])
    .filter((word) => !word?.startsWith('#'));

const textOf = (outcome: ReturnType<typeof render>) =>
  outcome.kind === 'rendered' ? outcome.text : outcome.message;

it('a single node has a placeholder peer, because unicast without peers stays in FAULT', () => {
  const [alone] = modelOf([]).instances;
  expect(alone).toMatchObject({ peers: [], unicastPeers: [{ address: '224.0.0.18' }] });
  expect(two.instances[0]?.unicastPeers).toMatchObject([{ name: 'b' }]);
});

const hostile = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom('\n', '\r', ' ', '\t', '\0', '#', '!', '"', '$', '{', '}', '<%=', '%>', '@', '~'))
    .map((parts) => parts.join('')),
);
/** Names as the program admits them; of two nodes with the same name one is refused, and "a" is this node. */
const admitted = hostile.map((name) => safeServerName(name) ?? 'unnamed').filter((name) => name !== 'a');

describe('hostile data', () => {
  it('in a name that passed validation gives the same directives as harmless data', () => {
    fc.assert(
      fc.property(admitted, (name) => {
        const model = modelOf([{ name, addresses: ['10.0.0.2'] }]);
        const outcome = render(model);
        expect(outcome.kind).toBe('rendered');
        expect(directives(textOf(outcome))).toEqual(directives(textOf(render(two))));
      }),
    );
  });

  it.each([
    ['the name of a peer', { peers: [{ name: 'b\n}', address: '10.0.0.2', priority: 1 }] }],
    ['the address of a peer', { peers: [{ name: 'b', address: '10.0.0.2\n', priority: 1 }] }],
    ['a VIP', { vip: '10.0.0.5/32 dev eth1' }],
    ['the source address', { sourceAddress: '10.0.0.1 }' }],
    ['the interface', { interface: 'eth0\nnopreempt' }],
    ['the name of an instance', { name: 'API {' }],
  ])('in %s is refused even if a template prints it unescaped', (_what, part) => {
    const raw = '<%- instances[0].name %> <%- instances[0].vip %>';
    expect(render(withInstance(part), raw)).toMatchObject({ kind: 'failed' });
    expect(render(two, raw)).toMatchObject({ kind: 'rendered' });
  });

  it.each([
    ['the router id', { routerId: 'a b' }],
    ['the FIFO', { notifyFifo: '/run/a b' }],
    ['the track file', { trackFiles: [{ name: 'lb', path: '/run/"' }] }],
  ])('in %s is refused', (_what, part) => {
    expect(render({ ...two, ...part }, 'x')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('is not printable'),
    });
  });
});

it('renders the same text in a thread and without one', async () => {
  const job = { templateText: template, templatePath, model: two };
  expect(await createRenderThread().render(job)).toEqual(render(two));
});
