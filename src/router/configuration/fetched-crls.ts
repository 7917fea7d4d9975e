import { createHash, X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { printable } from '../../engine/system/text/readable-text.ts';
import { type CrlIssuer, crlIssuer } from '../../haproxy/certificates/crl.ts';
import { distributionPoints } from '../../haproxy/certificates/distribution-points.ts';
import { CLIENT_CRL_FILE } from './file-names.ts';

/** A CA of clients, and where the CRL that it signs can be fetched. */
export interface CrlAuthority {
  /** The SHA-256 of its name and its public key: the same for a CA whose certificate was renewed. */
  readonly id: string;
  /** Its subject, for people. */
  readonly name: string;
  readonly issuer: CrlIssuer;
  /** Each is as good as the others. Empty where no certificate names one. */
  readonly places: readonly string[];
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const namedCrl = /^# ([0-9a-f]{64})\n(-----BEGIN X509 CRL-----\n[^-]*-----END X509 CRL-----\n)/gm;
const MOST_OF_A_NAME = 200;

/** HAProxy reads the file at each start, and the router holds it. */
const MAX_CRLS_CHARACTERS = 24 * 1024 * 1024;

/**
 * By an authority that nobody has, and expired in the year 2000. HAProxy reads no file without a CRL, and refuses clients whose authority has none
 * in it.
 */
const NO_CRL_YET = `-----BEGIN X509 CRL-----
MIGaMEIwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLbm8gbGlzdCB5ZXQXDTAwMDEw
MTAwMDAwMFoXDTAwMDEwMTAxMDAwMFowCgYIKoZIzj0EAwIDSAAwRQIhAKpjD5B+
dWSFhahzKDa4Uwmm9ndMlX6zBD0KywYSXGYiAiB/HnEVxW7WcvBYox37DxR+Q4Id
MiUo2juYcZ+B5ACSYg==
-----END X509 CRL-----
`;

/** The CAs in a file of PEM: a certificate names the CRL of the CA that has issued it. Throws where a certificate cannot be read. */
export function crlAuthorities(pem: string): readonly CrlAuthority[] {
  const certificates = (pem.match(certificate) ?? []).map((each) => new X509Certificate(each));
  const naming = certificates
    .map((each) => ({ certificate: each, places: distributionPoints(each).map(printable) }))
    .filter(({ places }) => places.length > 0);
  const found = new Map<string, CrlAuthority>();
  for (const authority of certificates) {
    const issuer = crlIssuer(authority);
    const id = createHash('sha256')
      .update(issuer.subject)
      .update(issuer.key.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    const own = naming.flatMap((each) => (isIssuedBy(each.certificate, authority) ? each.places : []));
    const places = [...new Set([...(found.get(id)?.places ?? []), ...own])];
    const name = printable(authority.subject.replaceAll('\n', ', ')).slice(0, MOST_OF_A_NAME);
    found.set(id, { id, name, issuer, places });
  }
  return [...found.values()];
}

function isIssuedBy(issued: X509Certificate, authority: X509Certificate): boolean {
  return issued.checkIssued(authority) && issued.verify(authority.publicKey);
}

interface CrlFile {
  readonly file: SetFile;
  /** The CAs whose CRLs have no room left. */
  readonly left: ReadonlySet<string>;
}

/** The file of the configuration with these CRLs (PEM), by the ids of their CAs. Equal CRLs give equal bytes. */
export function crlFile(crls: ReadonlyMap<string, string>): CrlFile {
  const left = new Set<string>();
  let content = NO_CRL_YET;
  for (const [id, pem] of [...crls].toSorted(([one], [other]) => compareText(one, other))) {
    if (content.length + pem.length > MAX_CRLS_CHARACTERS) left.add(id);
    else content += `# ${id}\n${pem}`;
  }
  return { file: { name: CLIENT_CRL_FILE, content }, left };
}

/** The CRLs in such a file, as PEM, by the ids of their CAs. */
export function crlsIn(file: string): ReadonlyMap<string, string> {
  return new Map([...file.matchAll(namedCrl)].map(([, id = '', pem = '']) => [id, pem]));
}
