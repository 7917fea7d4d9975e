/**
 * Which characters of a tenant's text may reach HAProxy's configuration, maps, lists and runtime commands. Every text in the model passes
 * one of these checks, so that none can end a line, an entry, a quoted word or a command.
 */

/** Names of pods, services and ports, and label values. */
export const plainWord = /^[A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?$/;

/** Whether the text is a DNS name in lower case, without a trailing dot, with labels of at most 63 characters. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.(?!$)|$))+$/.test(text);
}

/**
 * Whether a host names a machine rather than a site: `localhost`, names below it, and IP addresses. Local pages on the router's node trust
 * requests for such a host. Programs parse any name whose last label is numeric as an address.
 */
export function isMachineName(host: string): boolean {
  return /^(?:.+\.)?localhost$|(?:^|\.)\d+$/.test(host);
}

/** The limit in the Route CRD. */
export const MAX_PATH_CHARACTERS = 4_096;

/**
 * Whether the text is a path (RFC 3986) without `'` and `;`. The path of a request has no white space, `?` or `#`, and browsers
 * encode all other characters; `'` would end a quoted word, and `;` would end a command.
 */
export function isPath(text: string): boolean {
  return text.length <= MAX_PATH_CHARACTERS && /^\/[-A-Za-z0-9._~%!$&()*+,=:@/]*$/.test(text);
}

/** Whether openshift-router accepts the text as a cookie name. */
export function isCookieName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,256}$/.test(text);
}

/** Whether the text is a token (RFC 9110). */
export function isHeaderName(text: string): boolean {
  return /^[-A-Za-z0-9!#$%&*+.^_|~]{1,255}$/.test(text);
}

const headerSample = (read: 'req' | 'res') =>
  `%(?:\\{[-+]?[QXE](?:,[-+]?[QXE])*\\})?\\[(?:${read}\\.hdr\\([-0-9A-Za-z]+\\)|ssl_c_der)((?:,(?:lower|base64))*)\\]`;
const headerForms = {
  request: formOf('req'),
  response: formOf('res'),
} as const;

/** Each character can start at most one alternative, so both expressions match in linear time. */
function formOf(read: 'req' | 'res') {
  const sample = headerSample(read);
  return {
    value: new RegExp(`^(?:%%|${sample}|[^%\\p{Cc}\\u2028\\u2029])+$`, 'u'),
    samples: new RegExp(`%%|${sample}`, 'gu'),
  };
}

const MAX_HEADER_VALUE = 16_384;
/** HAProxy evaluates expressions for every request, on threads that all tenants share. Each converter copies the whole header. */
const MAX_WITH_EXPRESSIONS = 4_096;
const MAX_EXPRESSIONS = 4;
const MAX_CONVERTERS = 2;

/**
 * Why a header cannot be set to this value; undefined if it can. A value is text, which may contain quotes and backslashes, and the few
 * expressions that OpenShift's API allows. Other expressions could read files or variables of the router.
 */
export function headerValueProblem(text: string, of: 'request' | 'response'): string | undefined {
  const { value, samples } = headerForms[of];
  if (text.length > MAX_HEADER_VALUE) return `expected at most ${MAX_HEADER_VALUE} characters`;
  if (!value.test(text))
    return 'expected text in which each % is doubled or starts an expression that reads a header or the client certificate';
  const expressions = [...text.matchAll(samples)].filter(([found]) => found !== '%%');
  if (expressions.length > MAX_EXPRESSIONS)
    return `it has ${expressions.length} expressions, expected at most ${MAX_EXPRESSIONS}`;
  const most = Math.max(0, ...expressions.map(([, converters = '']) => converters.split(',').length - 1));
  if (most > MAX_CONVERTERS)
    return `an expression has ${most} converters, expected at most ${MAX_CONVERTERS}`;
  return expressions.length > 0 && text.length > MAX_WITH_EXPRESSIONS
    ? `expected at most ${MAX_WITH_EXPRESSIONS} characters with expressions`
    : undefined;
}
