import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import type { ExtraPort } from '../extra-ports/extra-ports.ts';

/** The readings for the load balancer's checks. */
export interface ApiLbContext extends NodeContext {
  readonly settings: NodeContext['settings'] & {
    readonly lbPort: number;
    readonly statPort: number;
    readonly healthPort: number;
    readonly extraPorts: readonly ExtraPort[];
    readonly haproxyConfig: string;
    readonly haproxySocket: string;
    readonly haproxy: string;
  };
  readonly readings: NodeReadings & {
    /** Of the API and of ingress. */
    readonly vips: () => Promise<readonly string[]>;
    readonly apiVips: () => Promise<readonly string[]>;
  };
}

/** For a check that needs a VIP, when none is set. */
export const NO_VIP = 'no VIP was given (--api-vips) and keepalived.conf has none';
