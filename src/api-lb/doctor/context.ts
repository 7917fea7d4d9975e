import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import type { ExtraPort } from '../extra-ports/extra-ports.ts';

/** Settings and readings for the load balancer's checks. */
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
    /** The VIPs of the API and of ingress. */
    readonly vips: () => Promise<readonly string[]>;
    readonly apiVips: () => Promise<readonly string[]>;
  };
}

/** Why a check that needs a VIP is skipped without one. */
export const NO_VIP = 'no VIP was given (--api-vips) and keepalived.conf has none';
