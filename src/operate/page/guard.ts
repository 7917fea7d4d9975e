/** The parts of a request that decide whether it is allowed. */
interface RequestOrigin {
  readonly method: string | undefined;
  readonly host: string | undefined;
  /** `Sec-Fetch-Site`, which a browser adds and a page cannot change; undefined for other clients. */
  readonly site: string | undefined;
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** `localhost` or an IP address, with any port, since a tunnel may use a different port. */
const OWN_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Why a request is refused; undefined if it is allowed. Only GET and HEAD are allowed. Requests for a host name are refused, because
 * another site could point its name to this machine and read the answer (DNS rebinding). Requests from other sites' pages
 * are refused, because they would use up the connections.
 */
export function refusalOf({ method, host, site }: RequestOrigin): Refusal | undefined {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'expected GET or HEAD' };
  if (host === undefined || !OWN_HOST.test(host))
    return { status: 421, text: 'expected an address or localhost in the URL, not another name' };
  return site === 'cross-site' || site === 'same-site'
    ? { status: 403, text: 'expected no request from another page' }
    : undefined;
}

/** The headers of every answer: the page loads only its own files, cannot be framed, and is not cached. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};
