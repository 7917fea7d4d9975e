import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import type { VirtualRouterIds } from '../group/vrrp.ts';

/** What the VIP's checks see. */
export interface VipContext extends NodeContext {
  readonly settings: NodeContext['settings'] & {
    readonly interface?: string | undefined;
    readonly clusterName?: string | undefined;
    readonly virtualRouterIds?: VirtualRouterIds | undefined;
    readonly kubeconfig?: string | undefined;
    readonly keepalivedConfig: string;
    readonly keepalivedSocket: string;
    readonly keepalived: string;
    /** `none` where there is no settings file. */
    readonly settingsFile: { readonly kind: string };
  };
  readonly readings: NodeReadings & {
    /** Of the API and of ingress. */
    readonly vips: () => Promise<readonly string[]>;
    readonly apiVips: () => Promise<readonly string[]>;
    /** Where the API is asked. */
    readonly kubeconfig: () => Promise<
      | { readonly kind: 'loaded'; readonly loaded: { readonly server: URL } }
      | { readonly kind: 'none' | 'unusable' }
    >;
  };
}

/** Said where a check needs a VIP and there is none. */
export const NO_VIP = 'no VIP was given (--api-vips) and keepalived.conf has none';
