/** Something that must not be, with what proves it. */
export interface Violation {
  readonly atMs: number;
  readonly what: string;
  /** Lines of the history, for people. */
  readonly proof: readonly string[];
  /** Nothing had a processor for a while just then: no proof that the product is at fault. */
  readonly starved: boolean;
}

export interface Verdict {
  readonly name: string;
  readonly claim: string;
  /** How many things were judged: a validator that looked at nothing has shown nothing. */
  readonly judged: number;
  readonly violations: readonly Violation[];
  /** What is allowed and worth knowing, such as hand-overs. */
  readonly notes: readonly string[];
}
