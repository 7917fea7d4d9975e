import type { X509Certificate } from 'node:crypto';
import { type DerElement, elementAt, elementsIn, firstIn } from './der.ts';

/** 2.5.29.31, cRLDistributionPoints (RFC 5280, 4.2.1.13). */
const EXTENSION = '551d1f';
const EXTENSIONS = 0xa3;
const POINT_NAME = 0xa0;
const FULL_NAME = 0xa0;
const URI = 0x86;
const OCTETS = 0x04;

/**
 * Where a certificate says that its issuer's CRL can be fetched, in its order: URIs of any scheme, empty where it names none.
 * Throws a RangeError where OpenSSL read the certificate and it is no DER.
 */
export function distributionPoints({ raw }: X509Certificate): readonly string[] {
  const within = (parent: DerElement, tag: number) =>
    elementsIn(raw, parent).filter((each) => each.tag === tag);
  // Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { …, extensions [3] SEQUENCE OF SEQUENCE { extnID, critical?, extnValue } }, … }
  const signed = firstIn(raw, elementAt(raw, 0));
  const extensions = within(signed, EXTENSIONS).flatMap((all) => elementsIn(raw, firstIn(raw, all)));
  const isPoints = (extension: DerElement): boolean => {
    const { begin, end } = firstIn(raw, extension);
    return raw.toString('hex', begin, end) === EXTENSION;
  };
  return extensions
    .filter(isPoints)
    .flatMap((extension) => within(extension, OCTETS))
    .flatMap((value) => elementsIn(raw, firstIn(raw, value)))
    .flatMap((point) => within(point, POINT_NAME))
    .flatMap((name) => within(name, FULL_NAME))
    .flatMap((names) => within(names, URI))
    .map(({ begin, end }) => raw.toString('latin1', begin, end));
}
