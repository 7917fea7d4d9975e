import { createHash } from 'node:crypto';
import type { Refusal, RejectedRoute } from '../admission/verdict.ts';
import type { Decision } from '../decide/decide.ts';
import { rejectRoutes } from '../decide/reject-routes.ts';
import type { RouteBackend } from '../model.ts';

/** A decision, and those of its rejected routes that admission let in. */
export interface ServableDecision {
  readonly decision: Decision;
  readonly leftOut: readonly RejectedRoute[];
}

/** Which routes HAProxy has refused, as they were then. */
export interface LeftOutRoutes {
  /** The decision without them. One that has changed since, or its pods have, is tried again. */
  readonly servable: (decision: Decision) => ServableDecision;
  /** `words` by key: what HAProxy said of each. */
  readonly leaveOut: (backends: readonly RouteBackend[], words: ReadonlyMap<string, string>) => void;
}

interface Known {
  /** Of its backend when it was refused. */
  readonly fingerprint: string;
  readonly refusal: Refusal;
}

export function createLeftOutRoutes(): LeftOutRoutes {
  let known: ReadonlyMap<string, Known> = new Map();
  return {
    servable: (decision) => {
      const backends = new Map(decision.model.backends.map((backend) => [backend.key, backend]));
      known = new Map(
        [...known].filter(([key, { fingerprint }]) => {
          const backend = backends.get(key);
          return backend !== undefined && fingerprintOf(backend) === fingerprint;
        }),
      );
      return withRefusals(
        { decision, leftOut: [] },
        new Map([...known].map(([key, { refusal }]) => [key, refusal])),
      );
    },
    leaveOut: (backends, words) => {
      const found = backends.flatMap((backend) => {
        const said = words.get(backend.key);
        if (said === undefined) return [];
        const refusal = { reason: 'ConfigurationRefused', message: messageOf(said) } as const;
        return [[backend.key, { fingerprint: fingerprintOf(backend), refusal }] as const];
      });
      known = new Map<string, Known>([...known, ...found]);
    },
  };
}

export function withRefusals(
  { decision, leftOut }: ServableDecision,
  refusals: ReadonlyMap<string, Refusal>,
): ServableDecision {
  const next = rejectRoutes(decision, refusals);
  const more = next.admission.rejected.filter(({ key }) => refusals.has(key));
  return { decision: next, leftOut: [...leftOut, ...more] };
}

function messageOf(words: string): string {
  return `HAProxy refuses a configuration with this route${words === '' ? '' : `: ${words}`}`;
}

function fingerprintOf(backend: RouteBackend): string {
  return createHash('sha256').update(JSON.stringify(backend)).digest('hex');
}
