import { isSafeText } from '../../engine/render/safe-text.ts';
import { internalError, type Refusal } from '../decide/verdict.ts';
import type { HeaderAction, RouteBackend } from '../model.ts';
import { isOneLine } from './quoted.ts';
import { noSizes, type RouteSizes, sizesOf, tooLarge } from './text-budget.ts';

/** A route that is left out, and which part cannot be printed. */
export interface LeftOut {
  readonly key: string;
  readonly problem: string;
  /** The router failed on it: `problem` is the exception. */
  readonly isThrown?: true;
}

/** The refusal in the tenant's status. */
export function refusalOf({ problem, isThrown }: LeftOut): Pick<Refusal, 'reason' | 'message'> {
  return isThrown === true
    ? internalError(problem)
    : { reason: 'Unprintable', message: `${problem} cannot be printed` };
}

/** A route with its sizes, or why it is left out. */
export interface Measured {
  readonly route: RouteBackend;
  readonly sizes: RouteSizes;
  readonly leftOut?: LeftOut | undefined;
}

/** The routes that can be printed together, and the others. `givenBytes` is the size of the administrator's files. */
export function printable<T extends Measured>(
  all: readonly T[],
  givenBytes: number,
): { readonly whole: readonly T[]; readonly leftOut: readonly LeftOut[] } {
  const isWhole = all.every(({ leftOut }) => leftOut === undefined);
  const sound = isWhole ? all : all.filter(({ leftOut }) => leftOut === undefined);
  const large = tooLarge(sound, givenBytes);
  if (isWhole && large.size === 0) return { whole: all, leftOut: [] };
  return {
    whole: sound.filter(({ route }) => !large.has(route)),
    leftOut: [
      ...all.flatMap(({ leftOut }) => leftOut ?? []),
      ...[...large].map(([{ key }, problem]) => ({ key, problem })),
    ],
  };
}

/** The same for routes alone. */
export function printableRoutes(routes: readonly RouteBackend[]) {
  const { whole, leftOut } = printable(
    routes.map((route) => {
      const leftOut = unprintable(route);
      return { route, leftOut, sizes: leftOut === undefined ? sizesOf(route) : noSizes };
    }),
    0,
  );
  return { backends: whole.map(({ route }) => route), leftOut };
}

export function unprintable(route: RouteBackend): LeftOut | undefined {
  const problem = problemOf(route);
  return problem === undefined ? undefined : { key: route.key, problem };
}

/**
 * What of a route cannot be printed, undefined if all of it can. Admission lets none of this through; what it missed
 * costs the one route, and never becomes configuration of its own.
 */
function problemOf(route: RouteBackend): string | undefined {
  const parts: readonly Part[] = [...names(route), ...words(route), ...lines(route)];
  return parts.find(([, text, isSound]) => !isSound(text))?.[0] ?? otherProblem(route);
}

type Part = readonly [what: string, text: string, isSound: (text: string) => boolean];

/** A valid name of a backend or a server in HAProxy. */
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
    ...servers.map(({ verifyHost = '' }): Part => ["the pods' name", verifyHost, isOneLine]),
  ];
}

function otherProblem({ servers, cookie }: RouteBackend): string | undefined {
  const isTwice = new Set(servers.map(({ name }) => name)).size < servers.length;
  if (isTwice) return 'the name of a server, which is there twice';
  const names = [cookie?.name, ...servers.map(({ verifyHost }) => verifyHost)];
  return names.includes('') ? 'an empty name of a cookie, or of the pods' : undefined;
}
