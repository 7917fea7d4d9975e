/** What the program itself says about a configuration file. */
export type CheckOutcome =
  | { readonly kind: 'valid' }
  /** It read the file and would not start with it. `detail` holds its own last words. */
  | { readonly kind: 'invalid'; readonly message: string; readonly detail: string }
  /** Nothing is known about the file: the program could not be run, or was not done in time. */
  | { readonly kind: 'impossible'; readonly message: string };

/** Rejects only when `signal` stops it. */
export type ConfigurationCheck = (path: string, signal?: AbortSignal) => Promise<CheckOutcome>;
