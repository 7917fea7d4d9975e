import { X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { hostText, type RouteBackend } from '../model.ts';
import { defaultListLine } from './default-list.ts';
import {
  allowlistFileName,
  CERTIFICATE_LIST_FILE,
  caFileName,
  certificateFileName,
  DEFAULT_CERTIFICATE_LIST_FILE,
} from './file-names.ts';
import { isLong } from './long-list.ts';

interface ListOptions {
  readonly http2: boolean;
  /** TLS is only for names that a certificate has. */
  readonly strictSni: boolean;
}

/**
 * Certificates with their keys, CAs and long allowlists, and the list by which HAProxy chooses a certificate: for the routes of one model after
 * another, with the default certificate as PEM.
 */
export function createRouteFiles({
  http2,
  strictSni,
}: ListOptions): (routes: readonly RouteBackend[], defaultCertificate: string) => readonly SetFile[] {
  const filesOf = mapChanged(oncePer(ownFiles));
  const readDefault = (pem: string) => {
    const certificate = new X509Certificate(pem);
    // Hosts without a certificate of their own share the default one: browsers would join their connections.
    const shared = certificate.toString().trim();
    const offersHttp2 = ({ certificate }: RouteBackend): boolean =>
      http2 && certificate?.http2 === true && !certificate.pem.includes(shared);
    const linesOf = mapChanged((route: RouteBackend) =>
      hasCertificate(route) ? listLine(route, offersHttp2(route)) : '',
    );
    return { pem, certificate, linesOf };
  };
  let fallback: ReturnType<typeof readDefault> | undefined;
  return (routes, defaultCertificate) => {
    if (fallback?.pem !== defaultCertificate) fallback = readDefault(defaultCertificate);
    const { certificate, linesOf } = fallback;
    return [
      { name: CERTIFICATE_LIST_FILE, content: descending(linesOf(routes)) },
      {
        name: DEFAULT_CERTIFICATE_LIST_FILE,
        content: defaultListLine(certificate, strictSni ? routes.filter(hasCertificate) : undefined),
      },
      ...filesOf(routes).flat(),
    ];
  };
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

function ownFiles(route: RouteBackend): readonly SetFile[] {
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

function listLine(backend: RouteBackend, offersHttp2: boolean): string {
  const protocols = offersHttp2 ? ' [alpn h2,http/1.1]' : '';
  return `${certificateFileName(backend.key)}${protocols} ${hostText(backend)}\n`;
}
