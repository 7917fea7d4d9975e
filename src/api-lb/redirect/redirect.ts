/** The traffic that is redirected to the load balancer instead of the API server on this node. */
export interface Redirect {
  /** IPv4 and IPv6 addresses in canonical text form, in any order. */
  readonly vips: readonly string[];
  /** The port that clients dial: `VIP:apiPort`. */
  readonly apiPort: number;
  /** The port on which HAProxy listens for the API. */
  readonly lbPort: number;
  /** Additional ports: the port that clients dial, and HAProxy's. */
  readonly extraPorts?: readonly { readonly port: number; readonly listenPort: number }[] | undefined;
}

/** Pairs of the port that clients dial and the port on which HAProxy listens. The API's pair is first. */
export function redirectedPorts(redirect: Redirect): readonly (readonly [port: number, target: number])[] {
  const { apiPort, lbPort, extraPorts = [] } = redirect;
  return [[apiPort, lbPort], ...extraPorts.map(({ port, listenPort }) => [port, listenPort] as const)];
}

/** The outcome of an attempt to add or remove the redirect. */
export type RedirectOutcome =
  /** The redirect is in the kernel. `changed`: this call added it. */
  | { readonly kind: 'present'; readonly changed: boolean }
  /** The redirect is not in the kernel. `changed`: this call removed it. */
  | { readonly kind: 'absent'; readonly changed: boolean }
  /** nft is missing, lacks permission, or refused the change. The kernel's state is unchanged. */
  | { readonly kind: 'failed'; readonly message: string };

const highestPort = 65_535;

/**
 * Returns every reason why this redirect is impossible; empty if it is possible. Checks only the characters of an address, so that
 * none can end a line of the ruleset. The settings have validated the address itself.
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
