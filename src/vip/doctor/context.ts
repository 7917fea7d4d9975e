import * as z from 'zod/mini';
import { flag, type SettingsFrom } from '../../cli/command-spec.ts';
import { absolutePath } from '../../cli/fields.ts';
import { clusterName, vipInterface } from '../../cli/shared-flags.ts';
import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import { keepalivedFlags } from '../../keepalived/supervise/keepalived-supervise-settings.ts';
import { virtualRouterIdPair } from '../settings/keepalived-monitor-settings.ts';

/** The context of the VIP's checks. */
export interface VipContext extends NodeContext {
  readonly settings: NodeContext['settings'] &
    SettingsFrom<typeof doctorFlags> & {
      readonly kubeconfig?: string | undefined;
      /** `none` if there is no settings file. */
      readonly settingsFile: { readonly kind: string };
    };
  readonly readings: NodeReadings & {
    /** The API VIPs and the ingress VIPs. */
    readonly vips: () => Promise<readonly string[]>;
    readonly apiVips: () => Promise<readonly string[]>;
    /** The kubeconfig in use. */
    readonly kubeconfig: () => Promise<
      | { readonly kind: 'loaded'; readonly loaded: { readonly server: URL } }
      | { readonly kind: 'none' | 'unusable' }
    >;
  };
}

/** The verdict of a check that needs a VIP, on a node without one. */
export const NO_VIP = 'no VIP was given (--api-vips) and keepalived.conf has none';

/** The flags of `hawser doctor` for this product. */
export const doctorFlags = {
  interface: vipInterface,
  clusterName: {
    ...clusterName,
    help: 'gives the virtual router ids (default: those of keepalived.conf, else what hawser would use)',
  },
  virtualRouterIds: flag('<ids>', z.optional(virtualRouterIdPair), 'API,INGRESS instead', {
    keyInFile: ['keepalived', 'virtualRouterIds'],
  }),
  keepalivedConfig: flag('<path>', absolutePath, 'what keepalived reads', {
    default: '/etc/hawser-keepalived/keepalived.conf',
    inFile: 'never',
  }),
  keepalivedSocket: keepalivedFlags.socket,
  keepalived: { ...keepalivedFlags.keepalived, inFile: 'never' as const },
};
