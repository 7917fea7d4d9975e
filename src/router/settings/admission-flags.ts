import * as z from 'zod/mini';
import { flag, toggle } from '../../cli/command-spec.ts';
import { listOf, nonEmpty, wholeNumber } from '../../cli/fields.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { domainName, network, printable } from './router-fields.ts';

/** Which routes are admitted, and with which host. */
export const admissionFlags = {
  ingressClass: flag('<name>', z.optional(nonEmpty), 'serve Ingresses of this class'),
  allowWildcards: toggle('admit routes with the wildcard policy Subdomain', {
    variable: 'ROUTER_ALLOW_WILDCARD_ROUTES',
  }),
  disableNamespaceOwnership: toggle('let routes from several namespaces share a host', {
    variable: 'ROUTER_DISABLE_NAMESPACE_OWNERSHIP_CHECK',
  }),
  subdomain: flag(
    '<template>',
    z.optional(printable),
    'template for the host of a route without one, from its name and namespace',
    {
      variable: 'ROUTER_SUBDOMAIN',
    },
  ),
  domain: flag('<domain>', z.optional(domainName), "domain that is appended to a route's spec.subdomain", {
    variable: 'ROUTER_DOMAIN',
  }),
  overrideHostname: toggle('give all routes the host of the subdomain template', {
    variable: 'ROUTER_OVERRIDE_HOSTNAME',
  }),
  overrideDomains: flag(
    '<domains>',
    z._default(listOf(domainName), []),
    'hosts below these domains get that host',
    {
      variable: 'ROUTER_OVERRIDE_DOMAINS',
    },
  ),
  deniedDomains: flag(
    '<domains>',
    z._default(listOf(domainName), []),
    'hosts below these domains are refused',
    {
      variable: 'ROUTER_DENIED_DOMAINS',
    },
  ),
  allowedDomains: flag(
    '<domains>',
    z._default(listOf(domainName), []),
    'only hosts below these domains are admitted',
    {
      variable: 'ROUTER_ALLOWED_DOMAINS',
    },
  ),
  deniedEndpoints: flag(
    '<networks>',
    z._default(listOf(network), []),
    'endpoints in these networks are not used; list the networks of nodes and of the API',
    { variable: 'ROUTER_DENIED_ENDPOINTS' },
  ),
  maxRoutesPerNamespace: flag(
    '<n>',
    wholeNumber(1, 1_000_000),
    'Routes and Ingress paths served for each namespace, the oldest first',
    { default: '5000', variable: 'ROUTER_MAX_ROUTES_PER_NAMESPACE' },
  ),
};

/** Problems of these settings in combination. */
export function admissionProblems({
  overrideHostname,
  subdomain,
}: {
  readonly overrideHostname: boolean;
  readonly subdomain?: string | undefined;
}): readonly string[] {
  if (!overrideHostname || subdomain !== undefined) return [];
  return [
    'Cannot use --override-hostname (ROUTER_OVERRIDE_HOSTNAME): no host is configured, expected --subdomain (ROUTER_SUBDOMAIN)',
  ];
}

/** Checks the settings of a command that has no further rules. Throws a ConfigError. */
export function withRules<S extends Parameters<typeof admissionProblems>[0]>(settings: S): S {
  const problems = admissionProblems(settings);
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}
