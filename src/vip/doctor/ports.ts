import { isHawser } from '../../engine/examine/host-processes.ts';
import type { WantedPort } from '../../engine/examine/wanted-port.ts';
import type { VipContext } from './context.ts';

/** That of the publication, on one address of this node: a program that has the port on another one is reported all the same. */
export function ports({ peers }: VipContext['settings']): readonly WantedPort[] {
  if (peers?.kind !== 'set') return [];
  return [
    {
      ...{ port: peers.port, what: 'status for the peers', flag: '--peer-listen', scope: 'all' },
      isOurs: (process) => isHawser(process, ['keepalived', 'monitor']),
    },
  ];
}
