import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { type Injector, nothingToUndo } from './injector.ts';

const pods: Readonly<Record<string, readonly ('haproxy' | 'keepalived')[]>> = {
  haproxy: ['haproxy'],
  keepalived: ['keepalived'],
  both: ['haproxy', 'keepalived'],
};

export const restartPod: Injector = async ({ world, node, variant }) => {
  const parts = (pods[variant] ?? []).flatMap((name) => [`${name}-monitor`, name] as const);
  sendSignal(
    parts.flatMap((part) => world.keeper.part(node, part)?.id ?? []),
    'SIGTERM',
  );
  return nothingToUndo;
};
