import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { SupervisorStatus } from '../../src/haproxy/supervise/supervisor-status.ts';
import type { Lens } from '../demo/camera.ts';
import { generationChanges } from '../demo/generations.ts';
import { look } from '../demo/look.ts';
import type { KnownRoute } from './routes-api.ts';
import type { Stage } from './stage.ts';
import type { RouterScene, ShownRoute } from './view.ts';

const ROUTES_EVERY_MS = 1_000;

/** Observes the router: the statuses it wrote to the Routes, and the supervisor of its HAProxy. */
export function createLens(): Lens<Stage, RouterScene> {
  let supervisor: SupervisorStatus | undefined;
  let known: readonly KnownRoute[] = [];
  let knownAtMs: number | undefined;

  const lookAtRoutes = async ({ api }: Stage, event: (text: string) => void) => {
    if (knownAtMs !== undefined && monotonicMs() - knownAtMs < ROUTES_EVERY_MS) return;
    const next = await api.routes();
    for (const change of routeChanges(known, next)) event(change);
    known = next;
    knownAtMs = monotonicMs();
  };
  return async (stage, event) => {
    const next = (await look(stage.sockets)).supervisor;
    for (const change of generationChanges(supervisor, next)) event(change);
    supervisor = next;
    await lookAtRoutes(stage, event);
    const shown = known.map((route) => shownRoute(route, stage));
    // Permanent routes come first, so that no line moves when others come and go.
    const routes = [...shown.filter(({ pods }) => pods), ...shown.filter(({ pods }) => !pods)];
    return { supervisor, complete: (frame) => ({ ...frame, routes }) };
  };
}

function shownRoute(
  { namespace, name, kind, admitted }: KnownRoute,
  { traffic, lasting }: Stage,
): ShownRoute {
  const isAsked = lasting.some(({ metadata }) => metadata.name === name);
  const pods = isAsked ? (traffic.recent().targets.get(name) ?? new Map()) : undefined;
  return { name: `${namespace}/${name}`, kind, admitted, pods };
}

/** The differences between two polls, in the wording of the event list. */
export function routeChanges(before: readonly KnownRoute[], after: readonly KnownRoute[]): readonly string[] {
  const nameOf = ({ namespace, name }: KnownRoute) => `${namespace}/${name}`;
  const was = new Map(before.map((route) => [nameOf(route), route.admitted]));
  const is = new Set(after.map(nameOf));
  return [
    ...after.flatMap((route) => {
      const { admitted } = route;
      if (admitted === undefined || was.get(nameOf(route)) === admitted) return [];
      return [`router: ${nameOf(route)} is ${admitted === 'yes' ? 'admitted' : `rejected: ${admitted}`}`];
    }),
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => `API: ${name} is gone`),
  ];
}
