/** The same in every test, since each has its own network. */
export const ports = { version: 9000, stream: 9001, taken: 9002, backend: 16_443 } as const;

export interface Extras {
  /** The path of the stats socket, if the supervisor expects a different one. */
  readonly statsSocket?: string;
  /** Extra lines for the first section: HAProxy 3.0 accepts some of them nowhere else. */
  readonly global?: string;
  /** Extra sections at the end. */
  readonly more?: string;
}

/** A configuration that answers every request with `version`, and passes streams to a backend. */
export function configurationText(
  paths: { readonly statsSocket: string; readonly stateFile: string },
  version: string,
  extras: Extras = {},
): string {
  return `global
  stats socket ${extras.statsSocket ?? paths.statsSocket} mode 600 level admin expose-fd listeners
  server-state-file ${paths.stateFile}
${extras.global ?? ''}defaults
  mode http
  load-server-state-from-file global
  timeout connect 1s
  timeout client 1m
  timeout server 1m
listen version
  bind 127.0.0.1:${ports.version}
  http-request return status 200 content-type text/plain string "${version}"
listen streams
  mode tcp
  bind 127.0.0.1:${ports.stream}
  server cp-0 127.0.0.1:${ports.backend}
${extras.more ?? ''}`;
}
