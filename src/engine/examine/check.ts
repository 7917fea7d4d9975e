import { oncePer } from '../system/once-per.ts';
import type { NodeContext } from './context.ts';

type Skip = { readonly kind: 'skip'; readonly message: string };
type Unknown = { readonly kind: 'unknown'; readonly message: string; readonly remedy: string };

/** The result of a check. `unknown`: it could not check. `skip`: nothing to check, such as an unset option or a program that is not installed. */
export type Finding =
  | { readonly kind: 'ok'; readonly message: string }
  | { readonly kind: 'warn' | 'fail'; readonly message: string; readonly remedy: string }
  | Skip
  | Unknown;

/** A fact that checks depend on. If it is missing, it is the verdict of each of these checks: nothing to check, or unreadable. */
export type Reading<T> = { readonly kind: 'read'; readonly value: T } | Skip | Unknown;

/** Reads a fact. Made once for all checks of a run; ends soon after `context.signal` aborts. */
export type FactReader<Context, T> = (context: Context) => Reading<T> | Promise<Reading<T>>;

/** One question about this node. */
export interface Check<Context = NodeContext> {
  /** The name for `--only`. */
  readonly id: string;
  /** For people; at most 28 characters. */
  readonly title: string;
  /** The consequence for clients or operators if the check fails. */
  readonly why: string;
  /** Shown before all others: it finds what takes a VIP down most often. */
  readonly isFirst?: boolean;
  /** Time it listens for others' packets, excluded from its time limit. */
  readonly listenMs?: number;
  /** May throw: the runner then reports "cannot tell" with the reason. */
  readonly run: (context: Context) => Promise<Finding>;
}

type Needs<Context> = Readonly<Record<string, FactReader<Context, unknown>>>;

type Facts<N> = {
  readonly [Name in keyof N]: N[Name] extends FactReader<never, infer Value> ? Value : never;
};

interface Rules<N> {
  readonly needs: N;
  /** Pure: the first rule that applies, or the findings about several things, of which the worst decides. */
  readonly judge: (facts: Facts<N>) => Finding | readonly Finding[];
  /** Why there is nothing to check if `judge` finds nothing. */
  readonly none?: string;
  /** Verdicts that mean nothing if the node's files are not in view. */
  readonly unlessUnseen?: readonly Finding['kind'][];
}

/** A check of rules over facts. A fact that cannot be read is the finding. */
export function checkOf<Context extends NodeContext, const N extends Needs<Context>>({
  needs,
  judge,
  none = '',
  unlessUnseen: hidden = [],
  ...about
}: Omit<Check<Context>, 'run'> & Rules<N>): Check<Context> {
  const judged = async (context: Context): Promise<Finding> => {
    const facts: Record<string, unknown> = {};
    const readings = Object.entries(needs).map(
      async ([name, reader]) => [name, await readOnce(context, reader)] as const,
    );
    for (const [name, reading] of await Promise.all(readings)) {
      if (reading.kind !== 'read') return reading;
      facts[name] = reading.value;
    }
    const finding = judge(facts as Facts<N>);
    return 'kind' in finding ? finding : worstOf(finding, none);
  };
  const run = async (context: Context): Promise<Finding> => {
    const finding = await judged(context);
    return hidden.includes(finding.kind) ? await unlessUnseen(context, finding) : finding;
  };
  return { ...about, run };
}

const readingsOf = oncePer((_context: object) => new Map<unknown, unknown>());

/** Reads a fact once per run: the first check that needs it reads it, and the others share the result. */
export function readOnce<Context extends object, T>(
  context: Context,
  reader: FactReader<Context, T>,
): Reading<T> | Promise<Reading<T>> {
  const readings = readingsOf(context);
  // The cast is safe, because the key determines the type.
  const reading = (readings.get(reader) as ReturnType<typeof reader> | undefined) ?? reader(context);
  readings.set(reader, reading);
  return reading;
}

export function read<T>(value: T): Reading<T> {
  return { kind: 'read', value };
}

export function ok(message: string): Finding {
  return { kind: 'ok', message };
}

export function skip(message: string): Skip {
  return { kind: 'skip', message };
}

export function warn(message: string, remedy: string): Finding {
  return { kind: 'warn', message, remedy };
}

export function fail(message: string, remedy: string): Finding {
  return { kind: 'fail', message, remedy };
}

export function unknown(message: string, remedy: string): Unknown {
  return { kind: 'unknown', message, remedy };
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
    `the node's files are not visible: there is no ${settings.manifests}`,
    'run hawser doctor on the node itself; in a container mount its root directory and pass it with --root',
  );
}

const severity: readonly Finding['kind'][] = ['fail', 'warn', 'unknown', 'ok', 'skip'];

/** Combines several findings about one thing: the worst severity, with the texts of all that share it. No findings: `skip`. */
function worstOf(findings: readonly Finding[], nothing: string): Finding {
  const kind = severity.find((each) => findings.some((finding) => finding.kind === each));
  if (kind === undefined) return skip(nothing);
  const worst = findings.filter((finding) => finding.kind === kind);
  const joined = (texts: readonly string[]): string => [...new Set(texts)].join('; ');
  const message = joined(worst.map((finding) => finding.message));
  if (kind === 'ok' || kind === 'skip') return { kind, message };
  return { kind, message, remedy: joined(worst.flatMap((each) => ('remedy' in each ? each.remedy : []))) };
}
