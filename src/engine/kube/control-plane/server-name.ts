/** The longest name of a Kubernetes object (RFC 1123 subdomain). */
const longestName = 253;

/**
 * Makes a name that is safe anywhere in a configuration file: only `[A-Za-z0-9._:-]`, at most 253 characters. Any other character becomes `_`, and a
 * changed name gets a hash of the original appended, so that different hostile names remain different. Deterministic on every machine. Undefined for
 * an empty name.
 */
export function safeServerName(name: string): string | undefined {
  if (name === '') return undefined;
  const cleaned = name.slice(0, longestName).replace(/[^A-Za-z0-9._:-]/g, '_');
  return cleaned === name ? name : withHash(cleaned, name);
}

/** Appends a hash of `seed` to a name, within the maximum length. */
export function withHash(name: string, seed: string): string {
  return `${name.slice(0, longestName - 9)}-${hash(seed)}`;
}

/** FNV-1a over UTF-16 code units, 32 bits as 8 hex digits: stable and short, not a defence against collisions. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
