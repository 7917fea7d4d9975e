/** Something that must not happen, with its evidence. */
export interface Violation {
  readonly atMs: number;
  readonly what: string;
  /** Lines from the history, for human readers. */
  readonly proof: readonly string[];
  /** No process got CPU time around then, so this does not prove a bug in the product. */
  readonly starved: boolean;
}

export interface Verdict {
  readonly name: string;
  readonly claim: string;
  /** How many items were judged: a validator that looked at nothing has proved nothing. */
  readonly judged: number;
  readonly violations: readonly Violation[];
  /** Allowed but worth reporting, such as hand-overs. */
  readonly notes: readonly string[];
}
