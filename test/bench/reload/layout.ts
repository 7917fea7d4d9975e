import { join } from 'node:path';

/** The same ports on every host, since each has its own network namespace. */
export const ports = { lb: 9445, stat: 29_445, health: 9444, generation: 9400, taken: 9500 } as const;

export const servers = [
  { name: 'cp-0', host: '127.0.0.1', port: 16_443 },
  { name: 'cp-1', host: '127.0.0.1', port: 16_444 },
  { name: 'cp-2', host: '127.0.0.1', port: 16_445 },
] as const;

/** Occupies the port that the port-clash file wants. */
export const squatter = { name: 'squatter', host: '127.0.0.1', port: ports.taken } as const;

/** Older generations are killed after this time; 120 s in a real pod. */
export const FORCE_DELETE_MS = 5_000;

export interface HostPaths {
  readonly config: string;
  readonly masterSocket: string;
  readonly logSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly stateFile: string;
  readonly certificates: string;
  /** Output of the subject and its HAProxy processes. */
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
