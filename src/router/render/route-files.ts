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
import { needsFile } from './template-backend.ts';

/** The certificate for hosts without their own. */
export interface DefaultCertificate {
  /** Key and certificate as PEM. */
  readonly pem: string;
  readonly certificate: X509Certificate;
  /** Only the certificate, as PEM. */
  readonly text: string;
}

/** Throws if `pem` contains no certificate. */
export function readDefaultCertificate(pem: string): DefaultCertificate {
  const certificate = new X509Certificate(pem);
  return { pem, certificate, text: certificate.toString().trim() };
}

/** The route's line in the certificate list; '' if it has no certificate. */
export function certificateLine(route: RouteBackend, http2: boolean, shared: DefaultCertificate): string {
  const { certificate, key } = route;
  if (certificate === undefined || !hasCertificate(route)) return '';
  // A copy of the default certificate is shared with all hosts without their own, and browsers would reuse connections between them.
  const offersHttp2 = http2 && certificate.http2 && !certificate.pem.includes(shared.text);
  return `${certificateFileName(key)}${offersHttp2 ? ' [alpn h2,http/1.1]' : ''} ${hostText(route)}\n`;
}

/** The lists from which HAProxy chooses a certificate. With `strictSni`, TLS is only accepted for names that a certificate covers. */
export function certificateLists(
  routes: readonly { readonly route: RouteBackend; readonly certificateLine: string }[],
  { certificate }: DefaultCertificate,
  strictSni: boolean,
): readonly SetFile[] {
  const withCertificate = routes.filter(({ certificateLine }) => certificateLine !== '');
  const strictFor = strictSni ? withCertificate.map(({ route }) => route) : undefined;
  return [
    {
      name: CERTIFICATE_LIST_FILE,
      content: descending(withCertificate.map(({ certificateLine }) => certificateLine)),
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
 * The default certificate's line in the list. The line has explicit names: otherwise HAProxy would serve this certificate for the names in it, even
 * if a route has a certificate for them. `*` matches every name without its own certificate. With strict-sni there is no fallback, so the line adds
 * those names of the certificate that no route's certificate is for.
 */
function defaultListLine(
  certificate: X509Certificate,
  strictFor: readonly Pick<RouteBackend, 'host' | 'wildcard'>[] | undefined,
): string {
  const names = strictFor === undefined ? [] : unclaimedNames(certificate, strictFor);
  return `${[DEFAULT_CERTIFICATE_FILE, '*', ...names].join(' ')}\n`;
}

/** Whether the certificate covers the host, so that HAProxy serves it for the host with strict-sni if no route has a certificate. */
export function coversHost(certificate: X509Certificate, host: string): boolean {
  const names = namesOf(certificate);
  return names.includes(host) || names.includes(host.replace(/^[^.]*/, '*'));
}

function unclaimedNames(
  certificate: X509Certificate,
  routes: readonly Pick<RouteBackend, 'host' | 'wildcard'>[],
): readonly string[] {
  const own = new Set(routes.map(({ host, wildcard }) => (wildcard ? `*.${host}` : host)));
  const isOwn = (name: string): boolean => own.has(name) || own.has(name.replace(/^[^.]*/, '*'));
  return namesOf(certificate).filter((name) => !isOwn(name));
}

/** The names that HAProxy reads: DNS names of the subject alternative names, and common names. */
function namesOf({ subjectAltName = '', subject }: X509Certificate): readonly string[] {
  const alternative = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)];
  const common = [...(subject ?? '').matchAll(/^CN=(.+)$/gm)];
  const names = [...alternative, ...common].map(([, name = '']) => name.trim().toLowerCase());
  return [...new Set(names)].filter((name) => /^(?:\*\.)?[a-z0-9_-][a-z0-9._-]*$/.test(name)).sort();
}

/**
 * HAProxy uses the first line for a host. This is openshift-router's order, so that both serve the same of two certificates for one host. The
 * routes arrive sorted by key, so the reversed list is nearly sorted.
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

/** A route's files: certificate with key, CA, and long allowlist. */
export function filesOfRoute(route: RouteBackend): readonly SetFile[] {
  const files = [
    ...(hasCertificate(route) ? [certificateFile(route)] : []),
    ...(route.verify?.kind === 'route-ca' ? [caFile(route)] : []),
    ...(needsFile(route.allowlist) ? [allowlistFile(route)] : []),
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
