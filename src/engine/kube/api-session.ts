import { Agent } from 'node:https';
import { messageOf } from '../system/errors.ts';
import { overLimit } from '../system/limit.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { orAborted } from '../system/time/or-aborted.ts';
import { type ApiBase, apiBases, checkIdentity } from './api-bases.ts';
import type { ApiFailure, ApiTarget } from './api-request.ts';
import type { KubeconfigFile, LoadedKubeconfig } from './kubeconfig.ts';

/** The longest `Retry-After` of API priority and fairness (`maxRetryAfter` in dropped_requests_tracker.go). */
const LONGEST_RETRY_AFTER_MS = 32_000;

/** Each watch is a connection, here and at an API server. */
const MAX_WATCHES = 100;

/** Shared by the loops of one source: credentials, connections, and which base works. */
export interface ApiSession {
  /**
   * Tries the bases until one answers: first the one that answered last, then in the order of `apiBases`. After a failure the next base is tried at
   * once. A base that answered 429 is skipped until its `Retry-After` has passed, at most 32 s; its last answer is reported meanwhile. A failure is a
   * value. Rejects only if `ask` does, for a watch above MAX_WATCHES.
   */
  firstAnswer<T extends { readonly kind: string }>(
    ask: (target: ApiTarget) => Promise<T | ApiFailure>,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'answered'; readonly answer: T; readonly target: ApiTarget } | ApiFailure>;
  /**
   * A signal that aborts once the target is known to be dead, or its kubeconfig was replaced. A late write alone does not prove that. Throws at MAX_WATCHES.
   */
  whileGood(target: ApiTarget): { readonly signal: AbortSignal } & Disposable;
  /** Replaces the additional bases by these API servers (`address:port`), if there are any. */
  remember(endpoints: readonly string[]): void;
}

/** Opens the API session of a process. Its connections end with `signal`. */
export function openApiSession(
  settings: {
    readonly kubeconfig: KubeconfigFile;
    /** Port of this machine's own API server. Undefined: it is not tried. */
    readonly apiPort?: number;
    /** API servers (`address:port`) to try when neither the kubeconfig's server nor this machine's own answers. */
    readonly fallbacks?: readonly string[];
    /** Monotonic. */
    readonly nowMs?: () => number;
  },
  signal: AbortSignal,
): ApiSession {
  const { nowMs = monotonicMs } = settings;
  const users = new Map<AbortController, ApiTarget>();
  let { fallbacks = [] } = settings;
  const agents = new Map<string, Agent>();
  const busy = new Map<string, { readonly failure: ApiFailure; readonly untilMs: number }>();
  let current: LoadedKubeconfig | undefined;
  let working: string | undefined;

  const dropUsers = (isBad: (target: ApiTarget) => boolean, why: string) => {
    for (const [controller, target] of users) if (isBad(target)) controller.abort(new Error(why));
  };

  const agentFor = (base: ApiBase): Agent => {
    const agent = agents.get(base.url) ?? newAgent(base);
    agents.set(base.url, agent);
    return agent;
  };

  const dropAgents = () => {
    for (const agent of agents.values()) {
      // A connection whose request was aborted during its TLS handshake joins the pool after destroy() and would leak.
      agent.maxFreeSockets = 0;
      agent.destroy();
    }
    agents.clear();
  };

  const targets = async (): Promise<readonly ApiTarget[]> => {
    const kubeconfig = await settings.kubeconfig.load();
    if (kubeconfig.generation !== current?.generation) {
      current = kubeconfig;
      working = undefined;
      dropUsers((target) => target.kubeconfig.generation !== kubeconfig.generation, 'the kubeconfig changed');
      // All connections of the agents were made with the old credentials.
      dropAgents();
      busy.clear();
    }
    const bases = apiBases(kubeconfig.server, settings.apiPort, fallbacks);
    return preferring(bases, working).map((base) => ({ base, kubeconfig, agent: agentFor(base) }));
  };

  const stillBusy = ({ base }: ApiTarget): ApiFailure | undefined => {
    const entry = busy.get(base.url);
    return entry !== undefined && nowMs() < entry.untilMs ? entry.failure : undefined;
  };

  const postpone = ({ base }: ApiTarget, failure: ApiFailure) => {
    const { retryAfterMs } = failure;
    if (retryAfterMs === undefined) return;
    busy.set(base.url, { failure, untilMs: nowMs() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) });
  };

  const noteFailure = (target: ApiTarget, failure: ApiFailure) => {
    postpone(target, failure);
    if (failure.status === undefined && failure.isReachable !== true)
      dropUsers((user) => user.base.url === target.base.url, `the API is away: ${failure.message}`);
  };

  signal.addEventListener('abort', dropAgents, { once: true });

  return {
    firstAnswer: async (ask, signal) => {
      const failures: ApiFailure[] = [];
      const candidates = await orAborted(targets(), signal).catch(messageOf);
      if (typeof candidates === 'string') return { kind: 'failure', status: undefined, message: candidates };
      for (const target of candidates) {
        // Another request may have loaded a new kubeconfig while the last server was slow.
        if (target.kubeconfig.generation !== current?.generation)
          return { kind: 'failure', status: undefined, message: 'the kubeconfig changed' };
        const refusal = stillBusy(target);
        const answer = refusal ?? (await ask(target));
        if (!isFailure(answer)) {
          working = target.base.url;
          return { kind: 'answered', answer, target };
        }
        if (signal.aborted) return answer;
        if (refusal === undefined) noteFailure(target, answer);
        failures.push({ ...answer, message: `${target.base.url}: ${answer.message}` });
      }
      const message = failures.map((failure) => failure.message).join('; ');
      return {
        kind: 'failure',
        status: failures.find((failure) => failure.status !== undefined)?.status,
        message,
        isTooLarge: failures.some((failure) => failure.isTooLarge),
      };
    },
    whileGood: (target) => {
      const over = overLimit(users.size + 1, 'watches', { MAX_WATCHES });
      if (over !== undefined) throw new Error(`Cannot open a watch: the session has ${over}`);
      const controller = new AbortController();
      users.set(controller, target);
      return { signal: controller.signal, [Symbol.dispose]: () => users.delete(controller) };
    },
    remember: (endpoints) => {
      if (endpoints.length > 0) fallbacks = endpoints;
    },
  };
}

/** The identity check must belong to the agent: Node does not reuse a connection for a request with a check of its own. */
function newAgent(base: ApiBase): Agent {
  return new Agent({
    keepAlive: true,
    keepAliveMsecs: 10_000,
    // One per concurrent status write. A connection that is not kept costs the next write a TLS handshake.
    maxFreeSockets: 8,
    checkServerIdentity: (hostname, certificate) => checkIdentity(base, hostname, certificate),
  });
}

function preferring(bases: readonly ApiBase[], url: string | undefined): readonly ApiBase[] {
  return [...bases.filter((base) => base.url === url), ...bases.filter((base) => base.url !== url)];
}

function isFailure(answer: { readonly kind: string }): answer is ApiFailure {
  return answer.kind === 'failure';
}
