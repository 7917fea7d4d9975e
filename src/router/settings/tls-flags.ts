import * as z from 'zod/mini';
import { flag, toggle } from '../../cli/command-spec.ts';
import { absolutePath, oneOf } from '../../cli/fields.ts';
import { printable, tlsVersion, word } from './router-fields.ts';

/** What clients get of TLS, and the certificates that are not a route's. */
export const tlsFlags = {
  defaultCertificate: flag(
    '<pem>',
    z.optional(z.string()),
    'certificate and key for hosts without their own',
    {
      variable: 'DEFAULT_CERTIFICATE',
      // It holds a key, and `hawser settings` prints the file.
      inFile: 'never',
    },
  ),
  defaultCertificatePath: flag('<path>', z.optional(absolutePath), 'file with both', {
    variable: 'DEFAULT_CERTIFICATE_PATH',
  }),
  defaultCertificateDir: flag('<path>', z.optional(absolutePath), 'folder with tls.crt and tls.key', {
    variable: 'DEFAULT_CERTIFICATE_DIR',
  }),
  defaultDestinationCa: flag(
    '<path>',
    z.optional(absolutePath),
    'CA for pods whose route does not name one',
    {
      variable: 'DEFAULT_DESTINATION_CA_PATH',
    },
  ),
  ciphers: flag('<list>', word, 'modern, intermediate, old, or ciphers with colons', {
    default: 'intermediate',
    variable: 'ROUTER_CIPHERS',
  }),
  ciphersuites: flag('<list>', z.optional(word), 'ciphers of TLS 1.3, with colons', {
    variable: 'ROUTER_CIPHERSUITES',
  }),
  curves: flag(
    '<list>',
    z.optional(word),
    'elliptic curves, with colons (default: X25519, P-256, P-384, P-521)',
    { variable: 'ROUTER_CURVES' },
  ),
  tlsMinVersion: flag('<version>', tlsVersion, 'lowest version of TLS', {
    default: 'TLSv1.2',
    variable: 'SSL_MIN_VERSION',
  }),
  tlsMaxVersion: flag('<version>', z.optional(tlsVersion), 'highest version of TLS', {
    variable: 'SSL_MAX_VERSION',
  }),
  strictSni: toggle('refuse TLS handshakes for hosts without their own certificate', {
    variable: 'ROUTER_STRICT_SNI',
  }),
  mutualTls: flag('<how>', oneOf(['none', 'optional', 'required']), "clients' certificates", {
    default: 'none',
    variable: 'ROUTER_MUTUAL_TLS_AUTH',
  }),
  mutualTlsCa: flag('<path>', absolutePath, "CA of clients' certificates", {
    default: '/etc/ssl/certs/ca-certificates.crt',
    variable: 'ROUTER_MUTUAL_TLS_AUTH_CA',
  }),
  mutualTlsCrl: flag('<path>', z.optional(absolutePath), 'CRLs of their CAs', {
    variable: 'ROUTER_MUTUAL_TLS_AUTH_CRL',
  }),
  mutualTlsFilter: flag('<regex>', z.optional(printable), "regular expression for a client's subject", {
    variable: 'ROUTER_MUTUAL_TLS_AUTH_FILTER',
  }),
  disableHttp2: toggle('offer HTTP/1.1 only', { variable: 'ROUTER_DISABLE_HTTP2' }),
};
