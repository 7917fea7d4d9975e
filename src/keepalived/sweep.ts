import { readText } from '../engine/system/file/read-regular-file.ts';
import { addAddress, findAddress, removeAddress } from '../engine/system/network/interface-addresses.ts';
import { parseConfiguration, readAccepted } from './parse-configuration.ts';
import type { Disagreement, HeldAddress } from './vip-presence.ts';
import type { SweepOutcome } from './vrrp-program.ts';

/** Removes every VIP of the accepted and of the live configuration from this node. */
export async function sweepConfigured(paths: {
  readonly accepted: string;
  readonly config: string;
}): Promise<SweepOutcome> {
  const known = readAccepted(paths.accepted)?.instances ?? [];
  const live = parseConfiguration(readText(paths.config)).instances;
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
