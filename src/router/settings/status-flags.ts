import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { flag, type SettingsFrom } from '../../cli/command-spec.ts';
import { labelName, subdomainName } from '../metadata.ts';
import { domainName, truth } from './router-fields.ts';

const hostName = domainName.check(
  z.refine((name) => isIP(name) === 0, { error: 'expected the name of a host, not its address' }),
);

/** What Routes' statuses say of this router, and who writes them. */
export const statusFlags = {
  updateStatus: flag('<true|false>', truth, 'write into Routes whether they are admitted', {
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
};

export type StatusSettings = SettingsFrom<typeof statusFlags>;
