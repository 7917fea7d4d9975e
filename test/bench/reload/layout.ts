import { join } from 'node:path';

/** The network of every host looks the same, since each has one of its own. */
export const ports = { lb: 9445, stat: 29_445, health: 9444, generation: 9400, taken: 9500 } as const;

export const servers = [
  { name: 'cp-0', host: '127.0.0.1', port: 16_443 },
  { name: 'cp-1', host: '127.0.0.1', port: 16_444 },
  { name: 'cp-2', host: '127.0.0.1', port: 16_445 },
] as const;

/** Holds the port that the file of the port clash wants. */
export const squatter = { name: 'squatter', host: '127.0.0.1', port: ports.taken } as const;

/** After this long, what is left of older generations is ended: 120 s in a real pod. */
export const FORCE_DELETE_MS = 5_000;

export interface HostPaths {
  readonly config: string;
  readonly masterSocket: string;
  readonly logSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly stateFile: string;
  readonly certificates: string;
  /** Whatever the subject and its HAProxys say. */
  readonly log: string;
}

export function hostPaths(dir: string): HostPaths {
  return {
    config: join(dir, 'haproxy.cfg'),
    masterSocket: join(dir, 'haproxy-master.sock'),
    logSocket: join(dir, 'haproxy-log.sock'),
    statsSocket: join(dir, 'haproxy.sock'),
    pidFile: join(dir, 'haproxy.pid'),
    stateFile: join(dir, 'server-state'),
    certificates: join(dir, 'certificates'),
    log: join(dir, 'subject.log'),
  };
}
