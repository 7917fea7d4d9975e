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

/** As the definition of Routes has it. */
export const MOST_PATH_CHARACTERS = 4_096;

/**
 * The characters of a path (RFC 3986) but `'` and `;`. A request's path has no white space, `?` or `#`, and browsers
 * encode everything else; `'` would end a quoted word, and `;` ends a command.
 */
export function isPath(text: string): boolean {
  return text.length <= MOST_PATH_CHARACTERS && /^\/[-A-Za-z0-9._~%!$&()*+,=:@/]*$/.test(text);
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
  `%(?:\\{[-+]?[QXE](?:,[-+]?[QXE])*\\})?\\[(?:${read}\\.hdr\\([-0-9A-Za-z]+\\)|ssl_c_der)((?:,(?:lower|base64))*)\\]`;
const headerForms = {
  request: formOf('req'),
  response: formOf('res'),
} as const;

/** A character begins one alternative at most, so that both are linear. */
function formOf(read: 'req' | 'res') {
  const sample = headerSample(read);
  return {
    value: new RegExp(`^(?:%%|${sample}|[^%\\p{Cc}\\u2028\\u2029])+$`, 'u'),
    samples: new RegExp(`%%|${sample}`, 'gu'),
  };
}

const LONGEST_HEADER_VALUE = 16_384;
/** HAProxy evaluates expressions at each request, for all tenants in one thread: each converter copies the whole header that is read. */
const LONGEST_WITH_EXPRESSIONS = 4_096;
const MOST_EXPRESSIONS = 4;
const MOST_CONVERTERS = 2;

/**
 * Why a header cannot be set to this; undefined if it can: text, in which quotes and backslashes may stand, and the few expressions that OpenShift's API
 * allows. Others could read files or variables of the router.
 */
export function headerValueProblem(text: string, of: 'request' | 'response'): string | undefined {
  const { value, samples } = headerForms[of];
  if (text.length > LONGEST_HEADER_VALUE) return `expected at most ${LONGEST_HEADER_VALUE} characters`;
  if (!value.test(text))
    return 'expected text in which % is doubled or reads a header or the client certificate';
  const expressions = [...text.matchAll(samples)].filter(([found]) => found !== '%%');
  if (expressions.length > MOST_EXPRESSIONS)
    return `expected at most ${MOST_EXPRESSIONS} expressions, it has ${expressions.length}`;
  const most = Math.max(0, ...expressions.map(([, converters = '']) => converters.split(',').length - 1));
  if (most > MOST_CONVERTERS)
    return `expected at most ${MOST_CONVERTERS} converters in an expression, one has ${most}`;
  return expressions.length > 0 && text.length > LONGEST_WITH_EXPRESSIONS
    ? `expected at most ${LONGEST_WITH_EXPRESSIONS} characters with an expression`
    : undefined;
}
