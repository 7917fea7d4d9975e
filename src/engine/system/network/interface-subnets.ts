import { networkInterfaces } from 'node:os';

/** The subnets that this machine's interfaces are in, as CIDR text (`10.0.0.11/24`), loopback left out. */
export function interfaceSubnets(): readonly string[] {
  return Object.values(networkInterfaces())
    .flat()
    .filter((address) => address !== undefined && !address.internal)
    .flatMap((address) => address?.cidr ?? []);
}
