import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { bitString, derOf, integer, objectId, pemOf, sequence, time } from './der.ts';

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
  /** Default: from a minute ago, for a day. */
  readonly validity?: { readonly from: Date; readonly to: Date };
  /** Default: `serverAuth,clientAuth`. */
  readonly usage?: string;
}

export interface Authority {
  readonly certFile: string;
  /** PEM. */
  readonly cert: string;
  /** Every call makes a new key and certificate in their own files, for servers and clients. */
  issue(request: CertificateRequest): IssuedCertificate;
  /** A CRL as PEM, valid for a day, with these certificates and those of earlier calls. */
  revoke(...certificates: readonly IssuedCertificate[]): string;
}

/**
 * A certificate authority for one test, with `ca.crt` and `ca.key` in `dir` (created if missing); EC P-256, because RSA
 * keys cost seconds. It signs in this process: openssl would be started twice per certificate.
 */
export function createAuthority(dir: string): Authority {
  mkdirSync(dir, { recursive: true });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf({ commonName: 'hawser test authority' });
  const signer: Signer = { issuer, key: privateKey, keyId: keyIdOf(publicKey) };
  const extensions = [
    extension('2.5.29.19', sequence(derOf(0x01, Buffer.of(0xff))), 'critical'),
    extension('2.5.29.15', bitString(Buffer.of(0b0000_0110), 1), 'critical'),
  ];
  const cert = certify(signer, { subject: issuer, publicKey, extensions, ...aDay() });
  const certFile = join(dir, 'ca.crt');
  writeFileSync(certFile, cert);
  writeFileSync(join(dir, 'ca.key'), pkcs8(privateKey), { mode: 0o600 });
  const revoked: Buffer[] = [];
  let issued = 0;
  return {
    certFile,
    cert,
    issue: (request) => {
      issued += 1;
      return issue(signer, join(dir, `${issued}`), request);
    },
    revoke: (...certificates) => {
      revoked.push(...certificates.map(({ cert: text }) => serialOf(text)));
      return revocationList(signer, revoked);
    },
  };
}

interface Signer {
  /** DER. */
  readonly issuer: Buffer;
  readonly key: KeyObject;
  readonly keyId: Buffer;
}

function issue(signer: Signer, base: string, request: CertificateRequest): IssuedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certify(signer, {
    subject: nameOf(request),
    publicKey,
    extensions: extensionsOf(request),
    ...(request.validity ?? aDay()),
  });
  const key = pkcs8(privateKey);
  const issued = { certFile: `${base}.crt`, keyFile: `${base}.key`, cert, key };
  writeFileSync(issued.certFile, cert);
  writeFileSync(issued.keyFile, key, { mode: 0o600 });
  return issued;
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function certify(
  signer: Signer,
  wanted: {
    readonly subject: Buffer;
    readonly publicKey: KeyObject;
    readonly extensions: readonly Buffer[];
    readonly from: Date;
    readonly to: Date;
  },
): string {
  const { subject, publicKey, from, to } = wanted;
  const extensions = [
    ...wanted.extensions,
    extension('2.5.29.14', derOf(0x04, keyIdOf(publicKey))),
    extension('2.5.29.35', sequence(derOf(0x80, signer.keyId))),
  ];
  const body = sequence(
    derOf(0xa0, integer(2n)),
    integer(BigInt(`0x${randomBytes(15).toString('hex')}`) + 1n),
    ecdsaWithSha256,
    signer.issuer,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    derOf(0xa3, sequence(...extensions)),
  );
  return pemOf('CERTIFICATE', signed(signer, body));
}

function revocationList(signer: Signer, serials: readonly Buffer[]): string {
  const { from, to } = aDay();
  const entries = serials.map((serial) => sequence(serial, time(from)));
  const body = sequence(
    ecdsaWithSha256,
    signer.issuer,
    time(from),
    time(to),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
  );
  return pemOf('X509 CRL', signed(signer, body));
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));

function signed({ key }: Signer, body: Buffer): Buffer {
  return sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, key)));
}

/** A clock that is set back by less than a minute does no harm. */
function aDay(): { readonly from: Date; readonly to: Date } {
  return { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) };
}

function serialOf(pem: string): Buffer {
  return integer(BigInt(`0x${new X509Certificate(pem).serialNumber}`));
}

function keyIdOf(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function nameOf({ organization, commonName }: CertificateRequest): Buffer {
  const part = (id: string, text: string) =>
    derOf(0x31, sequence(objectId(id), derOf(0x0c, Buffer.from(text))));
  return sequence(
    ...(organization === undefined ? [] : [part('2.5.4.10', organization)]),
    part('2.5.4.3', commonName),
  );
}

function extension(id: string, value: Buffer, weight?: 'critical'): Buffer {
  const critical = weight === undefined ? [] : [derOf(0x01, Buffer.of(0xff))];
  return sequence(objectId(id), ...critical, derOf(0x04, value));
}

const usages: Readonly<Record<string, string>> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};

function extensionsOf(request: CertificateRequest): readonly Buffer[] {
  const names = [
    ...(request.dnsNames ?? []).map((name) => derOf(0x82, Buffer.from(name))),
    ...(request.addresses ?? []).map((address) =>
      derOf(0x87, Buffer.from(ipaddr.parse(address).toByteArray())),
    ),
  ];
  const usage = (request.usage ?? 'serverAuth,clientAuth').split(',').map((name) => {
    const id = usages[name];
    if (id === undefined) throw new Error(`Cannot issue a certificate for "${name}"`);
    return objectId(id);
  });
  return [
    extension('2.5.29.19', sequence(), 'critical'),
    extension('2.5.29.15', bitString(Buffer.of(0b1000_0000), 7), 'critical'),
    extension('2.5.29.37', sequence(...usage)),
    ...(names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names))]),
  ];
}
