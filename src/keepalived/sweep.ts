import { readText } from '../engine/system/file/read-regular-file.ts';
import { addAddress, findAddress, removeAddress } from '../engine/system/network/interface-addresses.ts';
import { parseConfiguration, readAccepted } from './parse-configuration.ts';
import type { Disagreement, HeldAddress } from './vip-presence.ts';
import type { SweepOutcome } from './vrrp-program.ts';

/** Removes every VIP of the accepted, the last good and the live configuration from this node. */
export async function sweepConfigured(paths: {
  readonly accepted: string;
  readonly lastGood: string;
  readonly config: string;
}): Promise<SweepOutcome> {
  const copies = [paths.accepted, paths.lastGood].flatMap((path) => readAccepted(path)?.instances ?? []);
  const live = parseConfiguration(readText(paths.config)).instances;
  return await sweepAddresses([...copies, ...live].flatMap(({ vips }) => vips));
}

/**
 * Removes these addresses from every interface of this node, because a VMAC has an interface of its own. No other address is touched.
 */
async function sweepAddresses(vips: readonly HeldAddress[]): Promise<SweepOutcome> {
  const addresses = [...new Set(vips.map(({ address }) => address))];
  const removed: string[] = [];
  const troubles: string[] = [];
  for (const address of addresses) {
    const present = await findAddress(address);
    for (const each of present ?? []) {
      const trouble = await removeAddress(each);
      if (trouble === undefined) removed.push(`${each.cidr} dev ${each.interface}`);
      else troubles.push(trouble);
    }
    if (present === undefined)
      troubles.push(`Cannot look for "${address}": no answer of ip, expected its list`);
  }
  return { removed, trouble: troubles.length === 0 ? undefined : troubles.join('; ') };
}

/** Restores a missing address, or removes a stray one. Resolves with an error message if that fails. */
export async function repairAddress({ kind, vip }: Disagreement): Promise<string | undefined> {
  if (kind === 'stray') return (await sweepAddresses([vip])).trouble;
  return await addAddress({ interface: vip.interface, cidr: `${vip.address}/${vip.prefixLength}` });
}
