import type { SetFile } from '../../engine/apply/file-set.ts';
import { isSafeText } from '../../engine/render/safe-text.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { internalError, type Refusal } from '../decide/verdict.ts';
import type { HeaderAction, RouteBackend } from '../model.ts';
import { isOneLine } from './quoted.ts';
import { sizesOf, tooLarge } from './text-budget.ts';

/** A route that is left out, and what of it cannot be printed. */
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

interface Printable {
  readonly backends: readonly RouteBackend[];
  readonly leftOut: readonly LeftOut[];
}

/** The routes that can be printed, and the others. */
export function printableRoutes(routes: readonly RouteBackend[]): Printable {
  return createPrintableRoutes()(routes);
}

/** The same for successive models, with the administrator's own files. */
export function createPrintableRoutes(): (
  routes: readonly RouteBackend[],
  given?: readonly SetFile[],
) => Printable {
  const [problemsOf, allSizes] = [mapChanged(problemOf), mapChanged(sizesOf)];
  return (routes, given = []) => {
    const problems = new Map<RouteBackend, string>();
    problemsOf(routes).forEach((problem, index) => {
      const route = routes[index];
      if (problem !== undefined && route !== undefined) problems.set(route, problem);
    });
    const printable = problems.size === 0 ? routes : routes.filter((route) => !problems.has(route));
    const givenBytes = given.reduce((sum, { content }) => sum + content.length, 0);
    for (const [route, problem] of tooLarge(printable, allSizes(printable), givenBytes))
      problems.set(route, problem);
    return {
      backends: problems.size === 0 ? routes : routes.filter((route) => !problems.has(route)),
      leftOut: [...problems].map(([{ key }, problem]) => ({ key, problem })),
    };
  };
}

const problemOf = oncePer(unprintable);

/**
 * What of a route cannot be printed, undefined if all of it can. Admission lets none of this through; what it missed
 * costs the one route, and never becomes configuration of its own.
 */
function unprintable(route: RouteBackend): string | undefined {
  return (
    names(route).find(({ text }) => !namePattern.test(text))?.what ??
    words(route).find(({ text }) => !isSafeText(text))?.what ??
    lines(route).find(({ text }) => !isOneLine(text))?.what ??
    otherProblem(route)
  );
}

interface Part {
  readonly what: string;
  readonly text: string;
}

/** What HAProxy takes as the name of a backend or of a server. */
const namePattern = /^[-A-Za-z0-9._:]+$/;

function names(route: RouteBackend): readonly Part[] {
  return [
    { what: 'its name', text: route.name },
    ...route.servers.map(({ name }) => ({ what: 'the name of a server', text: name })),
  ];
}

function words(route: RouteBackend): readonly Part[] {
  return [
    { what: 'its host', text: route.host },
    ...route.servers.map(({ address }) => ({ what: 'the address of a server', text: address })),
    ...(route.allowlist ?? []).map((text) => ({ what: 'an entry of its allowlist', text })),
  ];
}

function lines(route: RouteBackend): readonly Part[] {
  const header = (action: HeaderAction): string =>
    action.kind === 'set' ? `${action.name}${action.value}` : action.name;
  return [
    { what: 'its path', text: route.path },
    { what: 'its HSTS header', text: route.hsts ?? '' },
    { what: 'its rewrite target', text: route.rewriteTarget ?? '' },
    { what: "its cookie's name", text: route.cookie?.name ?? '' },
    ...[...route.headers.request, ...route.headers.response].map((action) => ({
      what: 'a header',
      text: header(action),
    })),
    ...route.servers.map(({ verifyHost }) => ({ what: "the pods' name", text: verifyHost ?? '' })),
  ];
}

function otherProblem({ servers, cookie }: RouteBackend): string | undefined {
  const isTwice = new Set(servers.map(({ name }) => name)).size < servers.length;
  if (isTwice) return 'the name of a server, which is there twice';
  const names = [cookie?.name, ...servers.map(({ verifyHost }) => verifyHost)];
  return names.includes('') ? 'an empty name of a cookie, or of the pods' : undefined;
}
