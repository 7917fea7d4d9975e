/**
 * A configuration of HAProxy, of keepalived or of hawser with the value behind every word that names a secret replaced: passwords
 * of user lists and of VRRP, credentials of statistics, tokens, and what stands between the lines of a PEM block.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(-----BEGIN [^-]+-----)[\s\S]*?(-----END [^-]+-----)/g, '$1 *** $2')
    .replace(
      /\b((?:insecure-)?password|auth_pass|stats\s+auth|token|secret)(\s*[:=]\s*|\s+)\S.*$/gim,
      '$1$2***',
    );
}
