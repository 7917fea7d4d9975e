import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import type { Injector } from './injector.ts';

const pods: Readonly<Record<string, readonly ('haproxy' | 'keepalived')[]>> = {
  haproxy: ['haproxy'],
  keepalived: ['keepalived'],
  both: ['haproxy', 'keepalived'],
};

/** As with `kubectl delete --grace-period`: shorter than the manifests' own, so that a run is not spent on waiting. */
const GRACE_MS = 10_000;

export const restartPod: Injector = async ({ world, node, variant }) => {
  const parts = (pods[variant] ?? []).flatMap((name) => [`${name}-monitor`, name] as const);
  const mains = parts.flatMap((part) => world.keeper.part(node, part)?.id ?? []);
  const children = (pods[variant] ?? []).flatMap((name) => node.running(name));
  sendSignal(mains, 'SIGTERM');
  return async () => {
    const hasEnded = await waitForEnd(mains, GRACE_MS).then(
      () => true,
      () => false,
    );
    // A container that is killed takes all with it.
    if (!hasEnded) sendSignal([...children, ...mains], 'SIGKILL');
  };
};
