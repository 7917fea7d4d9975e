import type { Balance, RouteBackend } from '../model.ts';
import type { DeniedPlaces } from '../safe-address.ts';

/** What a backend has where its route says nothing, by the router's environment. */
export interface BackendDefaults {
  /** ROUTER_LOAD_BALANCE_ALGORITHM */
  readonly httpBalance: Balance;
  /** ROUTER_TCP_BALANCE_SCHEME */
  readonly tcpBalance: Balance;
  /** ROUTER_COOKIE_NAME */
  readonly cookieName?: string;
  /** ROUTER_SET_FORWARDED_HEADERS */
  readonly forwarded: RouteBackend['forwarded'];
  /** ROUTER_BACKEND_CHECK_INTERVAL */
  readonly checkIntervalMs: number;
  /** Off: ROUTER_DISABLE_HTTP2. */
  readonly http2: boolean;
  /** DEFAULT_DESTINATION_CA_PATH is set. */
  readonly hasDefaultDestinationCa: boolean;
  readonly denied: DeniedPlaces;
}
