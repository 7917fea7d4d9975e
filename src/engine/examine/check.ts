import type { NodeContext } from './context.ts';

/** The result of a check. `unknown`: it could not check. `skip`: nothing to check, such as an unset option or a program that is not installed. */
export type Finding =
  | { readonly kind: 'ok' | 'skip'; readonly found: string }
  | { readonly kind: 'warn' | 'fail' | 'unknown'; readonly found: string; readonly todo: string };

/** One question about this node. */
export interface Check<Context = NodeContext> {
  /** The name for `--only`. */
  readonly id: string;
  /** For people; at most 28 characters. */
  readonly title: string;
  /** The consequence for clients or operators if the check fails. */
  readonly why: string;
  /** Time it listens for others' packets, excluded from its time limit. */
  readonly listenMs?: number;
  /** May throw: the runner then reports "cannot tell" with the reason. Must end soon after `signal` aborts. */
  readonly run: (context: Context, signal: AbortSignal) => Promise<Finding>;
}

export function ok(found: string): Finding {
  return { kind: 'ok', found };
}

export function skip(found: string): Finding {
  return { kind: 'skip', found };
}

export function warn(found: string, todo: string): Finding {
  return { kind: 'warn', found, todo };
}

export function fail(found: string, todo: string): Finding {
  return { kind: 'fail', found, todo };
}

export function unknown(found: string, todo: string): Finding {
  return { kind: 'unknown', found, todo };
}

/** The remedy if this process lacks a permission. Root in a container may lack a capability or a mount instead. */
export const moreRights =
  process.getuid?.() === 0
    ? 'this container lacks a capability or a mount: start it as docs/doctor.md shows'
    : 'run this as root';

/** The finding of a check that found nothing: `unknown` if the node's files are not visible. */
export async function unlessUnseen({ readings, settings }: NodeContext, finding: Finding): Promise<Finding> {
  if (await readings.isNodeSeen()) return finding;
  return unknown(
    `the node's files are not in view: there is no ${settings.manifests}`,
    'type hawser doctor on the node itself; in a container mount its root directory and name it with --root',
  );
}

const severity: readonly Finding['kind'][] = ['fail', 'warn', 'unknown', 'ok', 'skip'];

/** Combines several findings about one thing: the worst severity, with the texts of all that share it. No findings: `skip`. */
export function worstOf(findings: readonly Finding[], nothing: string): Finding {
  const kind = severity.find((each) => findings.some((finding) => finding.kind === each));
  const worst = findings.filter((finding) => finding.kind === kind);
  const found = [...new Set(worst.map((finding) => finding.found))].join('; ');
  if (kind === undefined) return skip(nothing);
  if (kind === 'ok' || kind === 'skip') return { kind, found };
  const todo = [...new Set(worst.flatMap((finding) => ('todo' in finding ? finding.todo : [])))].join('; ');
  return { kind, found, todo };
}
