/** The parts of a request that decide whether it is allowed. */
interface Asked {
  readonly method: string | undefined;
  readonly host: string | undefined;
  /** `Sec-Fetch-Site`, which a browser adds and a page cannot change; undefined where the client is not a browser. */
  readonly site: string | undefined;
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** `localhost` or an address, with any port: a tunnel may have another one than we listen on. */
const OWN_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Why a request is refused; undefined if it is answered. Only reading is possible. A page of another site could point
 * its own name to this machine and then read the answer as its own (DNS rebinding), so requests by a name are refused.
 * Other pages may load nothing either, as that would use up the connections of the readers.
 */
export function refusalOf({ method, host, site }: Asked): Refusal | undefined {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'expected GET or HEAD' };
  if (host === undefined || !OWN_HOST.test(host))
    return { status: 421, text: 'expected an address or localhost in the URL, not another name' };
  return site === 'cross-site' || site === 'same-site'
    ? { status: 403, text: 'expected no request from another page' }
    : undefined;
}

/** What every answer carries: only this page's own files are loaded, no page frames it, nothing is cached. */
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
