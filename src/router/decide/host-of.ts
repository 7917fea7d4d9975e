import type { Route } from '../follow/route.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';

/** A route's host: its own, or the one that the settings give it; '' without either. */
export function hostOf(
  route: Pick<Route, 'host' | 'subdomain' | 'name' | 'namespace'>,
  { domain, hostTemplate, overrideHost, overrideDomains }: AdmissionPolicy,
): string {
  const isOfSubdomain = route.host === '' && route.subdomain !== '' && domain !== '';
  const host = isOfSubdomain ? `${route.subdomain}.${domain}` : route.host;
  const isChosen = host !== '' && !overrideHost && !isInDomains(host, overrideDomains);
  return isChosen || hostTemplate === '' ? host : expanded(hostTemplate, route);
}

/** A template with an unknown variable gives no host. */
function expanded(template: string, { name, namespace }: Pick<Route, 'name' | 'namespace'>): string {
  const values: ReadonlyMap<string, string> = new Map([
    ['name', name],
    ['namespace', namespace],
  ]);
  const variable = /\$(?:\{(\w+)\}|(\w+))/g;
  const isKnown = [...template.matchAll(variable)].every(([, long, short]) =>
    values.has(long ?? short ?? ''),
  );
  if (!isKnown) return '';
  return template
    .replaceAll(variable, (_, long?: string, short?: string) => values.get(long ?? short ?? '') ?? '')
    .replaceAll(/^["']+|["']+$/g, '');
}

/** Whether it is one of these domains, or in one. */
export function isInDomains(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** The part after the first dot; '' without a dot. */
export function parentDomain(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '' : host.slice(dot + 1);
}
