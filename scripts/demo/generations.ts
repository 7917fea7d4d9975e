import type { SupervisorStatus } from '../../src/haproxy/supervise/supervisor-status.ts';
import type { ShownGeneration } from './scene.ts';

/** The generations, serving one first; empty while the supervisor does not answer. */
export function shownGenerations(supervisor: SupervisorStatus | undefined): readonly ShownGeneration[] {
  if (supervisor === undefined) return [];
  const { current, draining } = supervisor;
  const note = (terminateInMs: number) => `ends within ${Math.round(terminateInMs / 1_000)} s`;
  return [
    ...(current === null ? [] : [{ ...current, state: 'serving', note: '' }]),
    ...draining.map((each) => ({ ...each, state: 'draining', note: note(each.terminateInMs) })),
  ].map(({ generation, pid, state, ageMs, sessions, note: text }) => ({
    number: generation,
    pid,
    state,
    ageMs,
    sessions: sessions ?? undefined,
    note: text,
  }));
}

/** The differences between two supervisor statuses, in the wording of the event list. */
export function generationChanges(
  before: SupervisorStatus | undefined,
  after: SupervisorStatus | undefined,
): readonly string[] {
  const was = before?.current;
  const is = after?.current;
  const draining = new Set(after?.draining.map(({ generation }) => generation));
  const drained = (before?.draining ?? []).filter(({ generation }) => !draining.has(generation));
  return [
    ...(is !== undefined && is !== null && was?.generation !== is.generation
      ? [`supervisor: generation ${is.generation} serves`]
      : []),
    ...(after === undefined ? [] : drained).map(
      ({ generation }) => `supervisor: generation ${generation} has drained`,
    ),
  ];
}
