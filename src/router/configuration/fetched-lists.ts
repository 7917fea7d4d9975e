import { X509Certificate } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import { distributionPoints } from '../../haproxy/certificates/distribution-points.ts';
import { CLIENT_CRL_FILE } from './file-names.ts';

/** Where one authority's list can be fetched, each as good as the others. */
export type ListPlaces = readonly string[];

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const namedList = /^# (\S.*)\n(-----BEGIN X509 CRL-----\n[^-]*-----END X509 CRL-----\n)/gm;

/**
 * By an authority that nobody has, and over since the year 2000: HAProxy reads no file without a list, and refuses clients whose authority has none
 * in it.
 */
const NO_LIST_YET = `-----BEGIN X509 CRL-----
MIGaMEIwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLbm8gbGlzdCB5ZXQXDTAwMDEw
MTAwMDAwMFoXDTAwMDEwMTAxMDAwMFowCgYIKoZIzj0EAwIDSAAwRQIhAKpjD5B+
dWSFhahzKDa4Uwmm9ndMlX6zBD0KywYSXGYiAiB/HnEVxW7WcvBYox37DxR+Q4Id
MiUo2juYcZ+B5ACSYg==
-----END X509 CRL-----
`;

/** Those that these CAs' certificates name (PEM), each once, in their order. Throws where there is none, or a certificate cannot be read. */
export function placesIn(authorities: string): readonly ListPlaces[] {
  const places = (authorities.match(certificate) ?? [])
    .map((pem) => distributionPoints(new X509Certificate(pem)).map(oneLine))
    .filter((urls) => urls.length > 0);
  if (places.length === 0)
    throw new Error('its certificates name no place of a list of revoked ones (cRLDistributionPoints)');
  return [...new Map(places.map((urls) => [keyOf(urls), urls])).values()];
}

export const keyOf = (places: ListPlaces): string => places.join(' ');

/** A certificate may have anything there, and a file is made of lines. */
function oneLine(uri: string): string {
  return uri.replaceAll(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character));
}

/** The file of the configuration with the lists that there are, by their places. Equal lists give equal bytes. */
export function listsFile(places: readonly ListPlaces[], lists: ReadonlyMap<string, string>): SetFile {
  const named = places.map(keyOf).flatMap((key) => {
    const pem = lists.get(key);
    return pem === undefined ? [] : [`# ${key}\n${pem}`];
  });
  return { name: CLIENT_CRL_FILE, content: [NO_LIST_YET, ...named.sort()].join('') };
}

/** The lists in such a file, as PEM, by their places. */
export function listsIn(file: string): ReadonlyMap<string, string> {
  return new Map([...file.matchAll(namedList)].map(([, key = '', pem = '']) => [key, pem]));
}
