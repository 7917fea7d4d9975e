import { parsedBy } from '../../cli/fields.ts';
import { hostOf } from '../../engine/system/network/address-text.ts';
import type { HealthUrl } from '../../engine/system/network/ask-health.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';

/**
 * `http://localhost:1936/healthz/ready`. A name would make the answer depend on DNS, and `localhost` is 127.0.0.1 so
 * that it does not depend on a resolver either.
 */
export const healthUrl = parsedBy(
  parseHealthUrl,
  'expected http(s)://ADDRESS[:PORT]/PATH with an address of this node, or localhost',
);

function parseHealthUrl(text: string): HealthUrl | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const secure = url.protocol === 'https:';
  const named = url.hostname === 'localhost' ? '127.0.0.1' : hostOf(url);
  const host = parseAddress(named)?.text;
  if (host === undefined) return undefined;
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { secure, host, port, path: `${url.pathname}${url.search}` };
}
