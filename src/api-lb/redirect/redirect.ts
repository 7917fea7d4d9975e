/** Which traffic should reach the load balancer instead of the API server behind the VIP's own port. */
export interface Redirect {
  /** IPv4 and IPv6 addresses in canonical text form, in any order. */
  readonly vips: readonly string[];
  /** The port that clients dial: `VIP:apiPort`. */
  readonly apiPort: number;
  /** HAProxy listens on `VIP:lbPort`. */
  readonly lbPort: number;
  /** More ports, likewise. */
  readonly extraPorts?: readonly { readonly port: number; readonly listenPort: number }[] | undefined;
}

/** What clients dial, and where HAProxy listens: the API's first. */
export function redirectedPorts(redirect: Redirect): readonly (readonly [port: number, target: number])[] {
  const { apiPort, lbPort, extraPorts = [] } = redirect;
  return [[apiPort, lbPort], ...extraPorts.map(({ port, listenPort }) => [port, listenPort] as const)];
}

/** The outcome of an attempt to add or remove the redirect. */
export type RedirectOutcome =
  /** It is in the kernel. `changed`: this call added it. */
  | { readonly kind: 'present'; readonly changed: boolean }
  /** It is not in the kernel. `changed`: this call removed it. */
  | { readonly kind: 'absent'; readonly changed: boolean }
  /** nft is missing, not permitted, or refused it; the kernel's state is unchanged. */
  | { readonly kind: 'failed'; readonly message: string };

const highestPort = 65_535;

/**
 * Every reason why this redirect is impossible, empty if it is possible. Addresses are only checked for characters:
 * the settings decide what is an address; this decides what could end a line of a ruleset.
 */
export function redirectProblems(redirect: Redirect): readonly string[] {
  const { vips } = redirect;
  const ports = redirectedPorts(redirect);
  return [
    ...vips
      .filter((vip) => !/^(?:[0-9.]{7,15}|[0-9a-f:.]*:[0-9a-f:.]*)$/i.test(vip))
      .map((vip) => `Cannot redirect VIP "${vip}": it is not an address, expected IPv4 or IPv6`),
    ...ports
      .flat()
      .filter((port) => !Number.isInteger(port) || port < 1 || port > highestPort)
      .map((port) => `Cannot redirect port "${port}": it is out of range, expected 1 to ${highestPort}`),
    ...ports
      .filter(([port, target]) => port === target)
      .map(
        ([port]) => `Cannot redirect port "${port}": it leads to itself, expected another load balancer port`,
      ),
  ];
}
