/** Which traffic should reach the load balancer instead of the API server behind the VIP's own port. */
export interface Redirect {
  /** IPv4 and IPv6 addresses in canonical text form, in any order. */
  readonly vips: readonly string[];
  /** What clients dial: `VIP:apiPort`. */
  readonly apiPort: number;
  /** HAProxy listens on `VIP:lbPort`. */
  readonly lbPort: number;
}

/** What became of an attempt to have, or not to have, the redirect. */
export type RedirectOutcome =
  /** It is in the kernel. `changed`: this call added it. */
  | { readonly kind: 'present'; readonly changed: boolean }
  /** It is not in the kernel. `changed`: this call removed it. */
  | { readonly kind: 'absent'; readonly changed: boolean }
  /** nft is missing, not permitted, or would not have it; the kernel's state is what it was before. */
  | { readonly kind: 'failed'; readonly message: string };

const highestPort = 65_535;

/**
 * Every reason why this redirect cannot be had, empty if it can. Addresses are only looked at for characters:
 * what is an address is for the settings to decide, what could end a line of a ruleset is decided here.
 */
export function redirectProblems(redirect: Redirect): readonly string[] {
  const { vips, apiPort, lbPort } = redirect;
  return [
    ...vips
      .filter((vip) => !/^(?:[0-9.]{7,15}|[0-9a-f:.]*:[0-9a-f:.]*)$/i.test(vip))
      .map((vip) => `Cannot redirect VIP "${vip}": it is not an address, expected IPv4 or IPv6`),
    ...[apiPort, lbPort]
      .filter((port) => !Number.isInteger(port) || port < 1 || port > highestPort)
      .map((port) => `Cannot redirect port "${port}": it is out of range, expected 1 to ${highestPort}`),
    ...(apiPort === lbPort
      ? [`Cannot redirect port "${apiPort}": it leads to itself, expected another load balancer port`]
      : []),
  ];
}
