/** Sent as `event: page` whenever the page has changed, and to every new reader. */
export interface PageEvent extends AliveEvent {
  readonly title: string;
  /** `<main>…</main>`, whole. */
  readonly main: string;
}

/** What is sent as `event: alive` where nothing has changed: the cluster has been looked at all the same. */
export interface AliveEvent {
  /** When the cluster was looked at, ISO 8601, UTC, of the server's clock. */
  readonly at: string;
}

/** The server sends one of both at least this often. A reader without an event for `SILENCE_MS` has lost it. */
export const ALIVE_EVERY_MS = 1_000;
export const SILENCE_MS = 3_500;
