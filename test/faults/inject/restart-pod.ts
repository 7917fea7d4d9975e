import { sendSignal, waitForEnd } from '../../helpers/vrrp/bed-process.ts';
import { everyNode } from '../generate/catalogue.ts';
import type { Injector } from './injector.ts';

const pods: Readonly<Record<string, readonly ('haproxy' | 'keepalived')[]>> = {
  haproxy: ['haproxy'],
  keepalived: ['keepalived'],
  both: ['haproxy', 'keepalived'],
  [everyNode]: ['haproxy', 'keepalived'],
};

/** Like `kubectl delete --grace-period`. Shorter than in the manifests, so that a run is not spent waiting. */
const GRACE_MS = 10_000;

export const restartPod: Injector = async ({ world, node, variant }) => {
  const parts = (pods[variant] ?? []).flatMap((name) => [`${name}-monitor`, name] as const);
  const mains = parts.flatMap((part) => world.keeper.part(node, part)?.id ?? []);
  const children = (pods[variant] ?? []).flatMap((name) => node.running(name));
  sendSignal(mains, 'SIGTERM');
  const ending = waitForEnd(mains, GRACE_MS).catch(() => {
    // Killing a container kills all its processes.
    sendSignal([...children, ...mains], 'SIGKILL');
  });
  return async () => ending;
};
