import { generationChanges } from './generations.ts';
import type { Sight } from './look.ts';

/** The differences between two polls, in the wording of the event list. */
export function describeChanges(before: Sight, after: Sight): readonly string[] {
  return [...serverChanges(before, after), ...generationChanges(before.supervisor, after.supervisor)];
}

function serverChanges(before: Sight, after: Sight): readonly string[] {
  // Without an answer, nothing is known about the servers.
  if (after.servers.length === 0 || before.servers.length === 0) return [];
  const was = new Map(before.servers.map((server) => [server.name, server]));
  const is = new Set(after.servers.map(({ name }) => name));
  return [
    ...after.servers.flatMap(({ name, status, check }) => {
      const old = was.get(name);
      if (old === undefined) return [`HAProxy: ${name} is new, ${wordOf(status)}`];
      return wordOf(old.status) === wordOf(status)
        ? []
        : [`HAProxy: ${name} is ${wordOf(status)} (${check})`];
    }),
    ...before.servers.filter(({ name }) => !is.has(name)).map(({ name }) => `HAProxy: ${name} is gone`),
  ];
}

/** `UP 1/2` and `UP` are the same state; the former is about to change. */
function wordOf(status: string): string {
  return status.split(' ')[0] ?? '';
}
