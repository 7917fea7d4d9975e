import type { HostProcess } from './host-processes.ts';

/** A port that a program of a product listens on, or will. */
export interface WantedPort {
  readonly port: number;
  readonly what: string;
  readonly flag: string;
  /** `all` collides with every listener on the port, `loopback` not with one on a single other address. */
  readonly scope: 'all' | 'loopback';
  readonly isOurs: (process: HostProcess) => boolean;
}
