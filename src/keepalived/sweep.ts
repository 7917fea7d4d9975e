import { readText } from '../engine/system/file/read-regular-file.ts';
import { addAddress, findAddress, removeAddress } from '../engine/system/network/interface-addresses.ts';
import type { KeepalivedPaths } from './argv.ts';
import { describeConfiguration, readAccepted } from './parse-configuration.ts';
import type { Disagreement, HeldAddress } from './vip-presence.ts';
import type { SweepOutcome } from './vrrp-program.ts';

/** Removes every VIP of the accepted and of the live configuration from this node. */
export async function sweepConfigured({
  accepted,
  config,
}: Pick<KeepalivedPaths, 'accepted' | 'config'>): Promise<SweepOutcome> {
  const known = readAccepted(accepted)?.instances ?? [];
  const live = describeConfiguration(readText(config), 0).instances;
  return await sweepAddresses([...known, ...live].flatMap(({ vips }) => vips));
}

/**
 * Removes these addresses wherever on this node they are (a VMAC has an interface of its own), and checks again. Only
 * what a configuration names is ever touched.
 */
async function sweepAddresses(vips: readonly HeldAddress[]): Promise<SweepOutcome> {
  const addresses = [...new Set(vips.map(({ address }) => address))];
  const removed: string[] = [];
  const troubles: string[] = [];
  for (const address of addresses) {
    const found = await findAddress(address);
    for (const each of found ?? []) {
      const trouble = await removeAddress(each);
      if (trouble === undefined) removed.push(`${each.cidr} dev ${each.interface}`);
      else troubles.push(trouble);
    }
    if (found === undefined)
      troubles.push(`Cannot look for "${address}": no answer of ip, expected its list`);
  }
  return { removed, trouble: troubles.length === 0 ? undefined : troubles.join('; ') };
}

/** Puts a missing address back, or removes one that should not be here. Resolves with what went wrong. */
export async function repairAddress({ kind, vip }: Disagreement): Promise<string | undefined> {
  if (kind === 'stray') return (await sweepAddresses([vip])).trouble;
  return await addAddress({ interface: vip.interface, cidr: `${vip.address}/${vip.prefixLength}` });
}
