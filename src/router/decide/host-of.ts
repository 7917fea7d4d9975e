import type { Route } from '../follow/route.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';

/** A route's host: its own, or the one that the settings assign; '' if there is neither. */
export function hostOf(
  route: Pick<Route, 'host' | 'subdomain' | 'name' | 'namespace'>,
  { domain, hostTemplate, overrideHost, overrideDomains }: AdmissionPolicy,
): string {
  const isOfSubdomain = route.host === '' && route.subdomain !== '' && domain !== '';
  const host = isOfSubdomain ? `${route.subdomain}.${domain}` : route.host;
  const isChosen = host !== '' && !overrideHost && !isInDomains(host, overrideDomains);
  return isChosen || hostTemplate === '' ? host : expanded(hostTemplate, route);
}

/** Returns '' if the template contains an unknown variable. */
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

/** Whether the host equals one of these domains or is below one. */
export function isInDomains(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** The part after the first dot; '' if there is no dot. */
export function parentDomain(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '' : host.slice(dot + 1);
}
