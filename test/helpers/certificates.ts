import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface IssuedCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS#8. */
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** The subject's O, which Kubernetes reads as the user's group. */
  readonly organization?: string;
  /** Default: from now on, for a day. */
  readonly validity?: { readonly from: Date; readonly to: Date };
  /** Default: `serverAuth,clientAuth`. */
  readonly usage?: string;
}

export interface Authority {
  readonly certFile: string;
  /** PEM. */
  readonly cert: string;
  /** Every call gives a new key and certificate in files of their own: good for servers and clients. */
  issue(request: CertificateRequest): IssuedCertificate;
  /** A CRL as PEM, for a day: these, and those of the calls before. */
  revoke(...certificates: readonly IssuedCertificate[]): string;
}

/** A certificate authority of a test's own in `dir` (made if it is missing), EC P-256 because RSA keys cost seconds. */
export function createAuthority(dir: string): Authority {
  mkdirSync(dir, { recursive: true });
  const certFile = join(dir, 'ca.crt');
  const keyFile = join(dir, 'ca.key');
  openssl([
    ...['req', '-x509', ...ecKey, '-days', '1', '-subj', '/CN=hawser test authority'],
    ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign', '-keyout', keyFile, '-out', certFile],
  ]);
  let issued = 0;
  return {
    certFile,
    cert: readFileSync(certFile, 'utf8'),
    issue: (request) => {
      issued += 1;
      return issue({ certFile, keyFile }, join(dir, `${issued}`), request);
    },
    revoke: (...certificates) => revoke({ certFile, keyFile }, dir, certificates),
  };
}

const ecKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function issue(
  authority: { readonly certFile: string; readonly keyFile: string },
  base: string,
  request: CertificateRequest,
): IssuedCertificate {
  const certFile = `${base}.crt`;
  const keyFile = `${base}.key`;
  const requestFile = `${base}.csr`;
  const extensionFile = `${base}.ext`;
  openssl(['req', '-new', ...ecKey, '-subj', subjectOf(request), '-keyout', keyFile, '-out', requestFile]);
  writeFileSync(extensionFile, extensionsOf(request));
  const signer = ['-in', requestFile, '-extfile', extensionFile, '-out', certFile];
  if (request.validity === undefined)
    openssl([
      ...['x509', '-req', '-CA', authority.certFile, '-CAkey', authority.keyFile, '-CAcreateserial'],
      ...['-days', '1', ...signer],
    ]);
  else signFor(request.validity, authority, base, signer);
  return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function revoke(
  authority: { readonly certFile: string; readonly keyFile: string },
  dir: string,
  certificates: readonly IssuedCertificate[],
): string {
  const base = join(dir, 'revoked');
  const out = `${base}.crl`;
  writeDatabase(base);
  const ca = [
    'ca',
    '-batch',
    '-config',
    `${base}.cnf`,
    '-cert',
    authority.certFile,
    '-keyfile',
    authority.keyFile,
  ];
  for (const { certFile } of certificates) openssl([...ca, '-revoke', certFile]);
  openssl([...ca, '-gencrl', '-crldays', '1', '-out', out]);
  return readFileSync(out, 'utf8');
}

/** Only `openssl ca` lets times be chosen; it wants a database. */
function signFor(
  { from, to }: { readonly from: Date; readonly to: Date },
  authority: { readonly certFile: string; readonly keyFile: string },
  base: string,
  signer: readonly string[],
): void {
  const stamp = (date: Date) => `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  writeDatabase(base);
  openssl([
    ...['ca', '-batch', '-notext', '-config', `${base}.cnf`, '-cert', authority.certFile],
    ...['-keyfile', authority.keyFile, '-startdate', stamp(from), '-enddate', stamp(to), ...signer],
  ]);
}

function writeDatabase(base: string): void {
  if (!existsSync(`${base}.db`)) writeFileSync(`${base}.db`, '');
  writeFileSync(
    `${base}.cnf`,
    [
      '[ca]\ndefault_ca = test\n[test]',
      `database = ${base}.db\nnew_certs_dir = ${dirname(base)}\ndefault_md = sha256\npolicy = any`,
      'rand_serial = yes\nunique_subject = no\n[any]\ncommonName = supplied\norganizationName = optional\n',
    ].join('\n'),
  );
}

function subjectOf(request: CertificateRequest): string {
  const quoted = (text: string) => text.replace(/[/\\+]/g, '\\$&');
  const organization = request.organization === undefined ? '' : `/O=${quoted(request.organization)}`;
  return `${organization}/CN=${quoted(request.commonName)}`;
}

function extensionsOf(request: CertificateRequest): string {
  const names = [
    ...(request.dnsNames ?? []).map((name) => `DNS:${name}`),
    ...(request.addresses ?? []).map((address) => `IP:${address}`),
  ];
  return [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    `extendedKeyUsage=${request.usage ?? 'serverAuth,clientAuth'}`,
    ...(names.length === 0 ? [] : [`subjectAltName=${names.join(',')}`]),
    '',
  ].join('\n');
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', [...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}
