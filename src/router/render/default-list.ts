import type { X509Certificate } from 'node:crypto';
import type { RouteBackend } from '../model.ts';
import { DEFAULT_CERTIFICATE_FILE } from './file-names.ts';

/**
 * The line of the default certificate, which says for which names it is, instead of what stands in it: HAProxy would serve it for a name of its
 * own even where a route has a certificate for that name, until that one is renewed. `*` is for whatever has no certificate of its own. With
 * strict-sni there is no such thing, and the line has those of its names that no route has a certificate for.
 */
export function defaultListLine(
  certificate: X509Certificate,
  strictFor: readonly Pick<RouteBackend, 'host' | 'wildcard'>[] | undefined,
): string {
  const names = strictFor === undefined ? [] : namesBeside(certificate, strictFor);
  return `${[DEFAULT_CERTIFICATE_FILE, '*', ...names].join(' ')}\n`;
}

/** Whether HAProxy serves it for this host also with strict-sni, where no route has a certificate for the host. */
export function isForHost(certificate: X509Certificate, host: string): boolean {
  const names = namesOf(certificate);
  return names.includes(host) || names.includes(host.replace(/^[^.]*/, '*'));
}

function namesBeside(
  certificate: X509Certificate,
  routes: readonly Pick<RouteBackend, 'host' | 'wildcard'>[],
): readonly string[] {
  const own = new Set(routes.map(({ host, wildcard }) => (wildcard ? `*.${host}` : host)));
  const isOwn = (name: string): boolean => own.has(name) || own.has(name.replace(/^[^.]*/, '*'));
  return namesOf(certificate).filter((name) => !isOwn(name));
}

/** As HAProxy reads them: the names for DNS, and the common names of the subject. */
function namesOf({ subjectAltName = '', subject }: X509Certificate): readonly string[] {
  const alternative = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)];
  const common = [...(subject ?? '').matchAll(/^CN=(.+)$/gm)];
  const names = [...alternative, ...common].map(([, name = '']) => name.trim().toLowerCase());
  return [...new Set(names)].filter((name) => /^(?:\*\.)?[a-z0-9_-][a-z0-9._-]*$/.test(name)).sort();
}
