import type { SetFile } from '../../engine/apply/file-set.ts';
import type { RouteBackend } from '../model.ts';
import { allowlistFileName, CERTIFICATE_LIST_FILE, caFileName, certificateFileName } from './file-names.ts';
import { INLINE_ADDRESSES } from './template-backend.ts';

/** Certificates with their keys, CAs and long allowlists, and the list by which HAProxy chooses a certificate. */
export function routeFiles(
  routes: readonly RouteBackend[],
  options: { readonly http2: boolean },
): readonly SetFile[] {
  const withCertificate = routes.filter(
    ({ certificate, kind }) => certificate !== undefined && endsTls(kind),
  );
  return [
    {
      name: CERTIFICATE_LIST_FILE,
      content: withCertificate.map((route) => listLine(route, options)).join(''),
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

function listLine(
  { key, certificate, host, wildcard }: RouteBackend,
  { http2 }: { readonly http2: boolean },
): string {
  const protocols = http2 && certificate?.http2 === true ? ' [alpn h2,http/1.1]' : '';
  return `${certificateFileName(key)}${protocols} ${wildcard ? '*.' : ''}${host}\n`;
}
