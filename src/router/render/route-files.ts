import { X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/config/set.ts';
import { hostText, type RouteBackend } from '../model.ts';
import {
  allowlistFileName,
  CERTIFICATE_LIST_FILE,
  caFileName,
  certificateFileName,
  DEFAULT_CERTIFICATE_FILE,
  DEFAULT_CERTIFICATE_LIST_FILE,
} from './file-names.ts';
import { isLong } from './template-backend.ts';

/** For hosts without a certificate of their own. */
export interface DefaultCertificate {
  /** Key and certificate. */
  readonly pem: string;
  readonly certificate: X509Certificate;
  /** The certificate alone, as PEM. */
  readonly text: string;
}

/** Throws if `pem` has no certificate. */
export function readDefaultCertificate(pem: string): DefaultCertificate {
  const certificate = new X509Certificate(pem);
  return { pem, certificate, text: certificate.toString().trim() };
}

/** The line of a route's certificate in the list by which HAProxy chooses one, '' without a certificate. */
export function certificateLine(route: RouteBackend, http2: boolean, shared: DefaultCertificate): string {
  const { certificate, key } = route;
  if (certificate === undefined || !hasCertificate(route)) return '';
  // Hosts without a certificate of their own share the default one: browsers would join their connections.
  const offersHttp2 = http2 && certificate.http2 && !certificate.pem.includes(shared.text);
  return `${certificateFileName(key)}${offersHttp2 ? ' [alpn h2,http/1.1]' : ''} ${hostText(route)}\n`;
}

/** The lists by which HAProxy chooses a certificate. With `strictSni` TLS is only for names that a certificate has. */
export function certificateLists(
  routes: readonly { readonly route: RouteBackend; readonly certificateLine: string }[],
  { certificate }: DefaultCertificate,
  strictSni: boolean,
): readonly SetFile[] {
  const named = routes.filter(({ certificateLine }) => certificateLine !== '');
  const strictFor = strictSni ? named.map(({ route }) => route) : undefined;
  return [
    {
      name: CERTIFICATE_LIST_FILE,
      content: descending(named.map(({ certificateLine }) => certificateLine)),
      namesFiles: true,
    },
    {
      name: DEFAULT_CERTIFICATE_LIST_FILE,
      content: defaultListLine(certificate, strictFor),
      namesFiles: true,
    },
  ];
}

/**
 * The default certificate's line in the list. It gives the names explicitly: otherwise HAProxy would serve this certificate for the names in it,
 * even if a route has a certificate for them. `*` matches every name without a certificate of its own. With strict-sni there is no fallback, so
 * the line lists those of its names for which no route has a certificate.
 */
function defaultListLine(
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

/**
 * HAProxy takes the first line for a host. openshift-router writes them in this order, so that of two certificates for one host both serve the same.
 * The routes come in the order of their keys: turned round they are nearly sorted.
 */
function descending(lines: readonly string[]): string {
  return lines
    .toReversed()
    .sort((a, b) => (a === b ? 0 : a < b ? 1 : -1))
    .join('');
}

function hasCertificate({ certificate, kind }: RouteBackend): boolean {
  return certificate !== undefined && endsTls(kind);
}

const none: readonly SetFile[] = [];

/** A route's certificate with its key, its CA and its long allowlist. */
export function filesOfRoute(route: RouteBackend): readonly SetFile[] {
  const files = [
    ...(hasCertificate(route) ? [certificateFile(route)] : []),
    ...(route.verify?.kind === 'route-ca' ? [caFile(route)] : []),
    ...(isLong(route.allowlist) ? [allowlistFile(route)] : []),
  ];
  return files.length === 0 ? none : files;
}

function certificateFile({ key, certificate }: RouteBackend): SetFile {
  return { name: certificateFileName(key), content: certificate?.pem ?? '', secret: true };
}

function caFile({ key, verify }: RouteBackend): SetFile {
  return { name: caFileName(key), content: verify?.kind === 'route-ca' ? verify.pem : '' };
}

function allowlistFile({ key, allowlist = [] }: RouteBackend): SetFile {
  return { name: allowlistFileName(key), content: allowlist.map((each) => `${each}\n`).join('') };
}

function endsTls(kind: RouteBackend['kind']): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}
