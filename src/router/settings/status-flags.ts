import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { flag, type SettingsFrom } from '../../cli/command-spec.ts';
import { listOf, parsedBy } from '../../cli/fields.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { labelName, subdomainName } from '../metadata.ts';
import { domainName, truth } from './router-fields.ts';

const hostName = domainName.check(
  z.refine((name) => isIP(name) === 0, { error: 'expected the name of a host, not its address' }),
);

/** In the status of one Ingress. */
export const MOST_ADDRESSES = 16;

const place = parsedBy((text) => {
  const [namespace = '', name = '', ...rest] = text.trim().split('/');
  const isPlace = [labelName.safeParse(namespace), subdomainName.safeParse(name)].every(
    ({ success }) => success,
  );
  return isPlace && rest.length === 0 ? { namespace, name } : undefined;
}, 'expected NAMESPACE/NAME of a Service');

/** Canonical. */
const reachable = parsedBy(
  (text) => parseAddress(text.trim())?.text ?? domainName.safeParse(text).data,
  'expected an address or the name of a host',
);

/** What the statuses of Routes and Ingresses say of this router, and who writes them. */
export const statusFlags = {
  updateStatus: flag('<true|false>', truth, 'write the statuses of Routes and Ingresses', {
    default: 'true',
    variable: 'ROUTER_UPDATE_STATUS',
  }),
  serviceName: flag('<name>', subdomainName, "the router's name in Routes, the same for all replicas", {
    default: 'public',
    variable: 'ROUTER_SERVICE_NAME',
  }),
  serviceNamespace: flag('<name>', labelName, 'namespace of the Lease whose holder writes', {
    default: 'default',
    variable: 'ROUTER_SERVICE_NAMESPACE',
  }),
  canonicalHostname: flag('<host>', z.optional(hostName), 'name of the router, for CNAME records of routes', {
    variable: 'ROUTER_CANONICAL_HOSTNAME',
  }),
  publishService: flag(
    '<namespace/name>',
    z.optional(place),
    'Service of the router; its addresses are written into the statuses of the Ingresses it serves',
  ),
  publishAddress: flag(
    '<addresses>',
    z._default(listOf(reachable), []),
    'addresses or host names to write instead of those of a Service',
  ),
};

/** What is wrong with these together. */
export function publishProblems({
  publishService,
  publishAddress,
}: Pick<StatusSettings, 'publishService' | 'publishAddress'>): readonly string[] {
  const [both, many] = [
    publishService !== undefined && publishAddress.length > 0,
    publishAddress.length > MOST_ADDRESSES,
  ];
  return [
    ...(both ? ['Cannot use --publish-service together with --publish-address: expected one of them'] : []),
    ...(many
      ? [
          `Cannot use --publish-address: it has ${publishAddress.length} addresses, expected at most ${MOST_ADDRESSES}`,
        ]
      : []),
  ];
}

export type StatusSettings = SettingsFrom<typeof statusFlags>;
