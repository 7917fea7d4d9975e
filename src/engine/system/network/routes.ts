import { networkInterfaces } from 'node:os';
import { runCommand } from '../process/run-command.ts';

export interface Interface {
  readonly name: string;
  /** CIDR text, `10.0.0.11/24`. */
  readonly addresses: readonly string[];
}

export interface Route {
  readonly destination: string;
  readonly interface: string;
}

/** The interfaces that are up, loopback left out. */
export function currentInterfaces(): readonly Interface[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const own = addresses.filter(({ internal }) => !internal).flatMap(({ cidr }) => cidr ?? []);
    return own.length === 0 ? [] : [{ name, addresses: own }];
  });
}

/** The main routing tables of both families, as `ip -json route` shows them; empty where it cannot be asked. */
export async function currentRoutes(): Promise<readonly Route[]> {
  const tables = await Promise.all([readRoutes('-4', '0.0.0.0/0'), readRoutes('-6', '::/0')]);
  return tables.flat();
}

async function readRoutes(family: '-4' | '-6', everywhere: string): Promise<readonly Route[]> {
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

function routeOf(route: unknown, everywhere: string): readonly Route[] {
  if (typeof route !== 'object' || route === null || !('dst' in route) || !('dev' in route)) return [];
  const { dst, dev } = route;
  if (typeof dst !== 'string' || typeof dev !== 'string') return [];
  return [{ destination: dst === 'default' ? everywhere : dst, interface: dev }];
}
