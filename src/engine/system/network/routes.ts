import { networkInterfaces } from 'node:os';
import * as z from 'zod/mini';
import { addressIn } from './address-text.ts';
import { listByIp } from './interface-addresses.ts';

const IP_TIMEOUT_MS = 10_000;

/** A route with several next hops has no device of its own, and is omitted. */
const route = z.object({ dst: z.string(), dev: z.string() });

/** An interface of this machine: `{ name: 'eth0', addresses: ['10.0.0.11/24', 'fd00::b/64'] }`. */
export interface NetworkInterface {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** A route of this machine: `{ destination: '10.1.0.0/16', interface: 'eth1' }`; `0.0.0.0/0` and `::/0` are the default. */
export interface NetworkRoute {
  readonly destination: string;
  readonly interface: string;
}

/** The interfaces that are up, except loopback. */
export function currentInterfaces(): readonly NetworkInterface[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const own = addresses.filter(({ internal }) => !internal).flatMap(({ cidr }) => cidr ?? []);
    return own.length === 0 ? [] : [{ name, addresses: own }];
  });
}

export function addressesOf(interfaces: readonly NetworkInterface[]): readonly string[] {
  return interfaces.flatMap(({ addresses }) => addresses.map(addressIn));
}

/** The subnets of the interfaces that are up, as CIDR text (`10.0.0.11/24`). */
export function interfaceSubnets(): readonly string[] {
  return currentInterfaces().flatMap(({ addresses }) => addresses);
}

/** The main routing tables of both families, as printed by `ip -json route`. Empty if they cannot be read. */
export async function currentRoutes(): Promise<readonly NetworkRoute[]> {
  const tables = await Promise.all([readRoutes('-4', '0.0.0.0/0'), readRoutes('-6', '::/0')]);
  return tables.flat();
}

async function readRoutes(family: '-4' | '-6', everywhere: string): Promise<readonly NetworkRoute[]> {
  const routes = (await listByIp([family, 'route', 'show'], route, IP_TIMEOUT_MS)) ?? [];
  return routes.map(({ dst, dev }) => ({
    destination: dst === 'default' ? everywhere : dst,
    interface: dev,
  }));
}
