import { X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
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
import { INLINE_ADDRESSES } from './template-backend.ts';

interface ListOptions {
  readonly http2: boolean;
  /** Key and certificate as PEM. */
  readonly defaultCertificate: string;
  /** TLS is only for names that a certificate has. */
  readonly strictSni: boolean;
}

/** Certificates with their keys, CAs and long allowlists, and the list by which HAProxy chooses a certificate. */
export function routeFiles(
  routes: readonly RouteBackend[],
  { http2, defaultCertificate, strictSni }: ListOptions,
): readonly SetFile[] {
  const withCertificate = routes.filter(
    ({ certificate, kind }) => certificate !== undefined && endsTls(kind),
  );
  // Hosts without a certificate of their own share the default one: browsers would join their connections.
  const fallback = new X509Certificate(defaultCertificate);
  const shared = fallback.toString().trim();
  const offersHttp2 = ({ certificate }: RouteBackend): boolean =>
    http2 && certificate?.http2 === true && !certificate.pem.includes(shared);
  return [
    {
      name: CERTIFICATE_LIST_FILE,
      content: withCertificate.map((route) => listLine(route, offersHttp2(route))).join(''),
    },
    {
      name: DEFAULT_CERTIFICATE_LIST_FILE,
      content: defaultListLine(fallback, strictSni ? withCertificate : undefined),
    },
    ...withCertificate.map(certificateFile),
    ...routes.filter(({ verify }) => verify?.kind === 'route-ca').map(caFile),
    ...routes.filter(({ allowlist }) => isLong(allowlist)).map(allowlistFile),
  ];
}

const certificateFile = oncePer(
  ({ key, certificate }: RouteBackend): SetFile => ({
    name: certificateFileName(key),
    content: certificate?.pem ?? '',
    secret: true,
  }),
);

const caFile = oncePer(
  ({ key, verify }: RouteBackend): SetFile => ({
    name: caFileName(key),
    content: verify?.kind === 'route-ca' ? verify.pem : '',
  }),
);

/** It has a file. So has an empty one, which lets nobody in. */
function isLong(allowlist: RouteBackend['allowlist']): boolean {
  return allowlist !== undefined && (allowlist.length > INLINE_ADDRESSES || allowlist.length === 0);
}

const allowlistFile = oncePer(
  ({ key, allowlist = [] }: RouteBackend): SetFile => ({
    name: allowlistFileName(key),
    content: allowlist.map((each) => `${each}\n`).join(''),
  }),
);

function endsTls(kind: RouteBackend['kind']): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}

function listLine(backend: RouteBackend, offersHttp2: boolean): string {
  const protocols = offersHttp2 ? ' [alpn h2,http/1.1]' : '';
  return `${certificateFile(backend).name}${protocols} ${hostText(backend)}\n`;
}
