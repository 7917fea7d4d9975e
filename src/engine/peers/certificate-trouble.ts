/** What is wrong with another's certificate, in words; undefined for a code that is not of OpenSSL's verification. */
export function certificateTrouble(code: string): string | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet';
    case 'INVALID_PURPOSE':
      return 'its certificate is not for this use, expected serverAuth and clientAuth';
    case 'CERT_SIGNATURE_FAILURE':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'its certificate is not from our CA';
    default:
      return undefined;
  }
}
