/** What can be asked about a list of servers, in Prometheus' words. */
export interface ServerListMetrics {
  readonly servers: (count: number) => void;
  readonly apiReachable: (reachable: boolean) => void;
  /** Why a list that was seen is not applied. */
  readonly held: (reason: string | undefined) => void;
}
