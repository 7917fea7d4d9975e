/**
 * A program that follows every node, like a monitor with an ingress VIP, until the end of its input. Prints a line of
 * JSON once it has the list.
 */
import { parseArgs } from 'node:util';
import { openApiSession } from '../../../src/engine/kube/api-session.ts';
import { openSource } from '../../../src/engine/kube/control-plane/source.ts';
import { openKubeconfig } from '../../../src/engine/kube/kubeconfig.ts';

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string', default: '' }, 'check-interval': { type: 'string', default: '' } },
});
const stop = new AbortController();
process.stdin.on('end', () => stop.abort()).resume();
const kubeconfig = openKubeconfig(values.kubeconfig, () => undefined);
const session = openApiSession({ kubeconfig, apiPort: 1, fallbacks: [] }, stop.signal);
const settings = {
  source: 'all-nodes',
  apiPort: 6443,
  checkInterval: Number(values['check-interval']),
} as const;
const follow = openSource(settings, { session, report: (event) => console.error(JSON.stringify(event)) });
let isListed = false;
const observe = (observation: { readonly kind: string }): void => {
  if (isListed || observation.kind !== 'servers') return;
  isListed = true;
  console.log('{"listed":true}');
};
await follow([{ vips: ['10.77.0.100'], observe }], stop.signal);
