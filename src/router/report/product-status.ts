import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/shared-flags.ts';
import { changeProblem, type Problem, problem, problemsAmong } from '../../engine/examine/problem.ts';
import type { SeenCluster } from '../../engine/examine/seen.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import { type RouterStatus, routerStatusSchema } from '../serve/router-status.ts';
import { type RouterNode, routerSection } from './router-section.ts';

/** The router's part of `hawser status`. */
export const routerStatus = {
  inputs: {
    home: { kind: 'pod' as const, beside: [] },
    programs: [
      {
        name: 'router',
        field: 'router',
        schema: routerStatusSchema,
        page: flag('<address:port>', optionalListenAddress, 'the router\'s page, or "off"', {
          default: `127.0.0.1:${defaultPorts.router}`,
          keyInFile: ['router', 'listen'],
        }),
      },
    ],
  },
  section: ({ here }: SeenCluster<RouterNode>) => ({ sections: [routerSection(here)] }),
  problems: ({ here }: SeenCluster<RouterNode>) => routerProblems(here),
};

/** At most this many expired certificates are named. */
const MAX_TOPICS = 3;

/** A router's problems for its operator. A route whose host belongs to another route is its tenant's problem. */
export function routerProblems({ router, at }: RouterNode): readonly Problem[] {
  if (!router) return [];
  const { synced, unready, lastChange } = router;
  if (!synced) return [problem('blind', 'the router has not read all objects from the API yet')];
  return problemsAmong([
    unready !== null && problem('outage', `the router is not ready: ${unready}`),
    ...certificateProblems(router, Date.parse(at)),
    leftOutProblem(router),
    changeProblem("the router's configuration", lastChange),
  ]);
}

function leftOutProblem({ routes }: RouterStatus): Problem | false {
  const [first] = routes?.leftOut ?? [];
  if (routes == null || first === undefined) return false;
  const { rejected } = routes;
  const count = (rejected['ConfigurationRefused'] ?? 0) + (rejected['Unprintable'] ?? 0);
  return problem(
    'change',
    `${countText(count, 'route')} left out, the first one ${first.key}: ${first.message}`,
  );
}

function certificateProblems(
  { certificates, defaultCertificate }: RouterStatus,
  now: number,
): readonly (Problem | false)[] {
  const { expired = 0, first = [] } = certificates ?? {};
  const named = first.slice(0, Math.min(MAX_TOPICS, expired)).map(({ route, host }) => `${route} (${host})`);
  const more = expired > named.length ? ` and ${expired - named.length} more` : '';
  const isOver = defaultCertificate !== null && Date.parse(defaultCertificate.validTo) < now;
  return [
    isOver && problem('outage', 'the default certificate has expired'),
    expired > 0 &&
      problem('redundancy', `${countText(expired, 'certificate')} expired: ${named.join(', ')}${more}`),
  ];
}
