/**
 * Which characters of a tenant's text may reach HAProxy: its configuration, its maps and lists, its command line. Every text
 * of a model passes one of these, so that none can end a line, an entry, a quoted word or a command.
 */

/** Names of pods, services and ports; values of labels. */
export const plainWord = /^[A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?$/;

/** A DNS name in lower case, without a dot at its end; labels of at most 63 characters. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.(?!$)|$))+$/.test(text);
}

/**
 * Names that mean a machine and not a site: `localhost`, what is below it, and IP addresses. Pages of the router's own node believe a request for such
 * a host. A last label of digits makes every program read the name as an address.
 */
export function isMachineName(host: string): boolean {
  return /^(?:.+\.)?localhost$|(?:^|\.)\d+$/.test(host);
}

/**
 * The characters of a path (RFC 3986) but `'` and `;`. A request's path has no white space, `?` or `#`, and browsers
 * encode everything else; `'` would end a quoted word, and `;` ends a command.
 */
export function isPath(text: string): boolean {
  return text.length <= 1_024 && /^\/[-A-Za-z0-9._~%!$&()*+,=:@/]*$/.test(text);
}

/** Of a cookie, as openshift-router takes it. */
export function isCookieName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,256}$/.test(text);
}

/** A token (RFC 9110). */
export function isHeaderName(text: string): boolean {
  return /^[-A-Za-z0-9!#$%&*+.^_|~]{1,255}$/.test(text);
}

const headerSample = (read: 'req' | 'res') =>
  `%(?:\\{[-+]?[QXE](?:,[-+]?[QXE])*\\})?\\[(?:${read}\\.hdr\\([-0-9A-Za-z]+\\)|ssl_c_der)(?:,(?:lower|base64))*\\]`;
const requestValue = new RegExp(`^(?:%%|${headerSample('req')}|[^%\\p{Cc}\\u2028\\u2029])+$`, 'u');
const responseValue = new RegExp(`^(?:%%|${headerSample('res')}|[^%\\p{Cc}\\u2028\\u2029])+$`, 'u');

/**
 * What a header is set to: text, in which quotes and backslashes may stand, and the few expressions that OpenShift's API
 * allows. Others could read files or variables of the router.
 */
export function isHeaderFormat(text: string, of: 'request' | 'response'): boolean {
  return text.length <= 16_384 && (of === 'request' ? requestValue : responseValue).test(text);
}
