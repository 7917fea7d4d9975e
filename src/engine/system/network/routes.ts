import { networkInterfaces } from 'node:os';
import { runCommand } from '../process/run-command.ts';

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

/** The interfaces that are up, loopback left out. */
export function currentInterfaces(): readonly NetworkInterface[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const own = addresses.filter(({ internal }) => !internal).flatMap(({ cidr }) => cidr ?? []);
    return own.length === 0 ? [] : [{ name, addresses: own }];
  });
}

/** The main routing tables of both families, as `ip -json route` shows them; empty where it cannot be asked. */
export async function currentRoutes(): Promise<readonly NetworkRoute[]> {
  const tables = await Promise.all([readRoutes('-4', '0.0.0.0/0'), readRoutes('-6', '::/0')]);
  return tables.flat();
}

async function readRoutes(family: '-4' | '-6', everywhere: string): Promise<readonly NetworkRoute[]> {
  try {
    const { exitCode, stdout } = await runCommand(['ip', '-json', family, 'route', 'show'], {
      timeoutMs: 10_000,
    });
    const routes: unknown = exitCode === 0 ? JSON.parse(stdout || '[]') : [];
    return Array.isArray(routes) ? routes.flatMap((route) => routeOf(route, everywhere)) : [];
  } catch {
    return [];
  }
}

function routeOf(route: unknown, everywhere: string): readonly NetworkRoute[] {
  if (typeof route !== 'object' || route === null || !('dst' in route) || !('dev' in route)) return [];
  const { dst, dev } = route;
  if (typeof dst !== 'string' || typeof dev !== 'string') return [];
  return [{ destination: dst === 'default' ? everywhere : dst, interface: dev }];
}
