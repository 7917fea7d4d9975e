import { X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import { hostText, type RouteBackend } from '../model.ts';
import { allowlistFileName, CERTIFICATE_LIST_FILE, caFileName, certificateFileName } from './file-names.ts';
import { INLINE_ADDRESSES } from './template-backend.ts';

interface ListOptions {
  readonly http2: boolean;
  /** Key and certificate as PEM. */
  readonly defaultCertificate: string;
}

/** Certificates with their keys, CAs and long allowlists, and the list by which HAProxy chooses a certificate. */
export function routeFiles(
  routes: readonly RouteBackend[],
  { http2, defaultCertificate }: ListOptions,
): readonly SetFile[] {
  const withCertificate = routes.filter(
    ({ certificate, kind }) => certificate !== undefined && endsTls(kind),
  );
  // Hosts without a certificate of their own share the default one: browsers would join their connections.
  const shared = new X509Certificate(defaultCertificate).toString().trim();
  const offersHttp2 = ({ certificate }: RouteBackend): boolean =>
    http2 && certificate?.http2 === true && !certificate.pem.includes(shared);
  return [
    {
      name: CERTIFICATE_LIST_FILE,
      content: withCertificate.map((route) => listLine(route, offersHttp2(route))).join(''),
    },
    ...withCertificate.map(({ key, certificate }) => ({
      name: certificateFileName(key),
      content: certificate?.pem ?? '',
      secret: true,
    })),
    ...routes.flatMap(({ key, verify }) =>
      verify?.kind === 'route-ca' ? [{ name: caFileName(key), content: verify.pem }] : [],
    ),
    ...routes.flatMap(({ key, allowlist }) =>
      allowlist !== undefined && (allowlist.length > INLINE_ADDRESSES || allowlist.length === 0)
        ? [{ name: allowlistFileName(key), content: allowlist.map((each) => `${each}\n`).join('') }]
        : [],
    ),
  ];
}

function endsTls(kind: RouteBackend['kind']): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}

function listLine(backend: RouteBackend, offersHttp2: boolean): string {
  const protocols = offersHttp2 ? ' [alpn h2,http/1.1]' : '';
  return `${certificateFileName(backend.key)}${protocols} ${hostText(backend)}\n`;
}
