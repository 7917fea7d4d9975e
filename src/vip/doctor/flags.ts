import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { absolutePath } from '../../cli/fields.ts';
import { clusterName, vipInterface } from '../../cli/shared-flags.ts';
import { keepalivedFlags } from '../../keepalived/supervise/keepalived-flags.ts';
import { virtualRouterIdPair } from '../settings/router-id-fields.ts';

/** What `hawser doctor` has to know of this product. */
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
