import { type Finding, ok, warn } from '../../../engine/examine/check.ts';
import { hostOf } from '../../../engine/system/network/address-text.ts';
import { parseAddress } from '../../../engine/system/network/node-address.ts';
import type { DoctorCheck } from '../look/context.ts';
import type { LocalApiReading } from '../look/local-api.ts';
import { withoutKubeconfig } from './credentials.ts';

/**
 * A monitor asks the kubeconfig's server first, then this node's own API server: a kubeconfig with the VIP works for as
 * long as one of the two does. It is a cold start, with the VIP not there yet, that it cannot get through alone.
 */
function judgeServer(server: URL, vips: readonly string[], local: LocalApiReading): Finding {
  const host = hostOf(server);
  const address = parseAddress(host)?.text ?? host;
  if (!vips.includes(address)) return ok(`it points at ${server.host}, which is no VIP of ours`);
  if (local.kind === 'answered')
    return ok(`it points at the VIP ${address}; while that is away, the API server here is asked instead`);
  return warn(
    `it points at the VIP ${address} that it is meant to provide, and no API server answers here`,
    `point it at this node (server: https://127.0.0.1:${server.port || 443}), or start the API server here`,
  );
}

const kubeconfigServer: DoctorCheck = {
  id: 'kubeconfig-server',
  title: "The kubeconfig's server",
  why: 'To bring the VIP up the monitor has to be answered; asking through the VIP, it never is.',
  run: async (context) => {
    const { readings } = context;
    const look = await readings.kubeconfig();
    if (look.kind !== 'loaded') return await withoutKubeconfig(context, look);
    return judgeServer(look.loaded.server, await readings.vips(), await readings.localApi());
  },
};

export const kubeconfigServerChecks: readonly DoctorCheck[] = [kubeconfigServer];
