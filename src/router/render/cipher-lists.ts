/** Recommendations of https://wiki.mozilla.org/Security/Server_Side_TLS for versions below TLS 1.3. `modern` is the current one. */
const modern = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
] as const;

/**
 * openshift-router's default, an older recommendation for clients without AEAD ciphers or ephemeral key exchange. The older ciphers come last here.
 * 3DES is left out: it is broken (CVE-2016-2183), and OpenSSL 3 no longer offers it.
 */
const intermediate = [
  ...modern,
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-RSA-AES256-SHA384',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'DHE-RSA-AES128-SHA256',
  'DHE-RSA-AES256-SHA256',
  'DHE-RSA-AES128-SHA',
  'DHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA256',
  'AES256-SHA256',
  'AES128-SHA',
  'AES256-SHA',
] as const;

const old = [...intermediate, 'DES-CBC3-SHA'] as const;

export const cipherLists: ReadonlyMap<string, string> = new Map([
  ['modern', modern.join(':')],
  ['intermediate', intermediate.join(':')],
  ['old', old.join(':')],
]);
