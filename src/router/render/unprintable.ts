import { isSafeText } from '../../engine/render/safe-text.ts';
import { internalError, type Refusal } from '../decide/verdict.ts';
import type { HeaderAction, RouteBackend } from '../model.ts';
import { isOneLine } from './quoted.ts';
import { noSizes, type RouteSizes, sizesOf, tooLarge } from './text-budget.ts';

/** A route that is left out, and which part of it cannot be printed. */
export interface LeftOut {
  readonly key: string;
  readonly problem: string;
  /** The router failed on this route: `problem` is the exception's message. */
  readonly isException?: true;
}

/** The refusal for the tenant's status. */
export function refusalOf({ problem, isException }: LeftOut): Pick<Refusal, 'reason' | 'message'> {
  return isException === true
    ? internalError(problem)
    : { reason: 'Unprintable', message: `${problem} cannot be printed` };
}

/** A route with its sizes, or the reason why it is left out. */
export interface Measured {
  readonly route: RouteBackend;
  readonly sizes: RouteSizes;
  readonly leftOut?: LeftOut | undefined;
}

/** Splits the routes into those that can be printed together and the others. `givenBytes` is the size of the administrator's files. */
export function printable<T extends Measured>(
  all: readonly T[],
  givenBytes: number,
): { readonly included: readonly T[]; readonly leftOut: readonly LeftOut[] } {
  const allPrintable = all.every(({ leftOut }) => leftOut === undefined);
  const candidates = allPrintable ? all : all.filter(({ leftOut }) => leftOut === undefined);
  const large = tooLarge(candidates, givenBytes);
  if (allPrintable && large.size === 0) return { included: all, leftOut: [] };
  return {
    included: candidates.filter(({ route }) => !large.has(route)),
    leftOut: [
      ...all.flatMap(({ leftOut }) => leftOut ?? []),
      ...[...large].map(([{ key }, problem]) => ({ key, problem })),
    ],
  };
}

/** The same for routes that were not measured yet, without the administrator's files. */
export function printableRoutes(routes: readonly RouteBackend[]) {
  const { included, leftOut } = printable(
    routes.map((route) => {
      const leftOut = unprintable(route);
      return { route, leftOut, sizes: leftOut === undefined ? sizesOf(route) : noSizes };
    }),
    0,
  );
  return { backends: included.map(({ route }) => route), leftOut };
}

export function unprintable(route: RouteBackend): LeftOut | undefined {
  const problem = problemOf(route);
  return problem === undefined ? undefined : { key: route.key, problem };
}

/**
 * Which part of a route cannot be printed; undefined if there is none. Admission should refuse all such routes. This second check limits a mistake
 * there to the one route, so that a tenant's text never becomes configuration.
 */
function problemOf(route: RouteBackend): string | undefined {
  const parts: readonly Part[] = [...names(route), ...words(route), ...lines(route)];
  return parts.find(([, text, isValid]) => !isValid(text))?.[0] ?? otherProblem(route);
}

type Part = readonly [what: string, text: string, isValid: (text: string) => boolean];

/** Whether HAProxy accepts the name of a backend or a server. */
const isName = (text: string): boolean => /^[-A-Za-z0-9._:]+$/.test(text);

function names({ name, servers }: RouteBackend): readonly Part[] {
  return [
    ['its name', name, isName],
    ...servers.map((server): Part => ['the name of a server', server.name, isName]),
  ];
}

function words({ host, servers, allowlist = [] }: RouteBackend): readonly Part[] {
  return [
    ['its host', host, isSafeText],
    ...servers.map(({ address }): Part => ['the address of a server', address, isSafeText]),
    ...allowlist.map((text): Part => ['an entry of its allowlist', text, isSafeText]),
  ];
}

function lines({ path, hsts, rewriteTarget, cookie, headers, servers }: RouteBackend): readonly Part[] {
  const header = (action: HeaderAction): string =>
    action.kind === 'set' ? `${action.name}${action.value}` : action.name;
  return [
    ['its path', path, isOneLine],
    ['its HSTS header', hsts ?? '', isOneLine],
    ['its rewrite target', rewriteTarget ?? '', isOneLine],
    ["its cookie's name", cookie?.name ?? '', isOneLine],
    ...[...headers.request, ...headers.response].map((each): Part => ['a header', header(each), isOneLine]),
    ...servers.map(({ verifyHost = '' }): Part => ["a pod's host name", verifyHost, isOneLine]),
  ];
}

function otherProblem({ servers, cookie }: RouteBackend): string | undefined {
  const hasDuplicates = new Set(servers.map(({ name }) => name)).size < servers.length;
  if (hasDuplicates) return 'a server name that is used twice';
  const names = [cookie?.name, ...servers.map(({ verifyHost }) => verifyHost)];
  return names.includes('') ? 'an empty name of a cookie or a pod' : undefined;
}
