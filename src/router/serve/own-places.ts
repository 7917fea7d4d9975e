import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import type { DeniedPlaces } from '../safe-address.ts';
import type { LiveSettings } from '../settings/router-command.ts';

/** The page of HAProxy's supervisor, as the router's Deployment has it. */
const SUPERVISOR_PAGE_PORT = 1937;

/**
 * The router's own addresses, from the machine's addresses at its start. An endpoint there would lead clients to its pages, or requests around
 * in a circle.
 */
export function ownPlaces({
  httpPort,
  httpsPort,
  listen,
}: Pick<LiveSettings, 'httpPort' | 'httpsPort' | 'listen'>): NonNullable<DeniedPlaces['own']> {
  return {
    addresses: presentAddresses(),
    ports: new Set([httpPort, httpsPort, listen.port, SUPERVISOR_PAGE_PORT]),
  };
}
