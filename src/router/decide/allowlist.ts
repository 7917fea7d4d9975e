import ipaddr from 'ipaddr.js';

interface Allowlist {
  /** Empty: everybody may connect. */
  readonly entries: readonly string[];
  readonly refused: readonly string[];
}

/**
 * Addresses and networks, separated by white space. As in openshift-router, bad entries are dropped, and white space at an
 * end makes the whole list void: then everybody may connect.
 */
export function parseAllowlist(text: string): Allowlist {
  if (text !== text.trim()) return { entries: [], refused: [text.trim()] };
  const words = text.split(/\s+/).filter((word) => word !== '');
  return { entries: words.filter(isNetwork), refused: words.filter((word) => !isNetwork(word)) };
}

function isNetwork(text: string): boolean {
  if (text.length > 49 || !/^[0-9a-fA-F.:/]+$/.test(text)) return false;
  const [address = '', prefix, ...more] = text.split('/');
  if (more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return Number(prefix ?? 32) <= 32;
  return ipaddr.IPv6.isValid(address) && Number(prefix ?? 128) <= 128;
}
