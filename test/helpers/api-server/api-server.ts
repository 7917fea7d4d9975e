import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { reviewAnswer } from './access-review.ts';
import {
  type Answer,
  forbidden,
  forbiddenForKubelet,
  type Status,
  sendJson,
  sendText,
  status,
  tooManyRequests,
  unauthorized,
} from './answers.ts';
import { type Faults, noFaults } from './faults.ts';
import { sendList } from './lie.ts';
import { listAnswer } from './list.ts';
import { objectAnswer } from './object-answer.ts';
import type { ObjectStore } from './object-store.ts';
import { addressOf, discoveryOf, isUnknownGroup, type ServedResource } from './served-kinds.ts';
import { listen, rawSocketOf } from './tls-listener.ts';
import { sendWatch } from './watch.ts';

export interface Caller {
  readonly token: string | undefined;
  /** Of a client certificate signed by the authority. */
  readonly commonName: string | undefined;
  /** Including the query. */
  readonly path: string;
}

export interface ApiServerSettings {
  readonly store: ObjectStore;
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** PEM of the authority for client certificates. */
  readonly ca?: string;
  readonly host?: string;
  /** 0 (the default) picks a free port. */
  readonly port?: number;
  /** Also answers plain HTTP on the same port. */
  readonly plainHttp?: boolean;
  readonly authorize?: (caller: Caller) => 'allowed' | 'unauthenticated' | 'forbidden';
  /** Replaces the answer to a request for objects, unless it returns undefined. */
  readonly instead?: (method: string, path: string) => Answer | undefined;
  readonly bookmarkMs?: number;
}

export interface ApiServer {
  readonly port: number;
  readonly url: string;
  /** Changes the given faults and keeps the others; resolves once they are in force. */
  readonly setFaults: (faults: Partial<Faults>) => Promise<void>;
  /** Paths with queries of all API requests so far, except the load's. */
  readonly requests: readonly string[];
  readonly served: () => {
    readonly requests: number;
    /** Open now. */
    readonly connections: number;
    /** Connections so far. */
    readonly accepted: number;
    readonly watches: number;
  };
  readonly stop: () => Promise<void>;
}

/**
 * A small kube-apiserver over TLS: probes, version, list and watch, single objects, and every way in which a real one
 * fails.
 */
export async function startApiServer(settings: ApiServerSettings): Promise<ApiServer> {
  const requests: string[] = [];
  let faults = noFaults;
  let served = 0;
  const watches = new Set<ServerResponse>();

  const watch = (request: IncomingMessage, response: ServerResponse, resource: ServedResource) => {
    watches.add(response);
    response.on('close', () => watches.delete(response));
    sendWatch(response, {
      resource,
      query: urlOf(request).searchParams,
      store: settings.store,
      faults: () => faults,
      clearFault: (fault) => {
        faults = { ...faults, [fault]: noFaults[fault] };
      },
      bookmarkMs: settings.bookmarkMs ?? 60_000,
      socket: rawSocketOf(request.socket),
    });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    served += 1;
    if (faults.slowMs > 0) await pause(faults.slowMs);
    if (faults.stall || (faults.stallWrites && request.method !== 'GET')) return;
    const { pathname, searchParams } = urlOf(request);
    const probe = probeAnswer(pathname, faults);
    if (probe !== undefined) return sendText(response, probe.code, probe.text);
    if (request.method === 'POST' && /selfsubject(?:access)?reviews$/.test(pathname) && !faults.error500) {
      const review = reviewAnswer(pathname, await text(request), settings.store);
      if (review !== undefined) return sendJson(response, review.code, review.body);
    }
    const addressed = addressOf(pathname);
    const resource = addressed?.resource;
    if (resource !== undefined) requests.push(request.url ?? '');
    const other =
      otherAnswer(pathname, faults) ??
      refusal(request, resource, settings) ??
      settings.instead?.(request.method ?? '', request.url ?? '');
    if (other !== undefined) return sendJson(response, other.code, other.body);
    if (isUnknownGroup(pathname)) {
      response.setHeader('x-content-type-options', 'nosniff');
      return sendText(response, 404, '404 page not found\n');
    }
    if (faults.retryAfterSeconds > 0 && resource !== undefined) {
      response.setHeader('retry-after', faults.retryAfterSeconds);
      return sendJson(response, 429, tooManyRequests);
    }
    if (addressed === undefined || resource === undefined)
      return sendJson(response, 200, discoveryOf(pathname) ?? { kind: 'APIVersions', path: pathname });
    if (addressed.name !== undefined || request.method === 'POST') {
      const { code, body } = await objectAnswer(request, addressed, settings.store);
      return sendJson(response, code, body);
    }
    if (['1', 'true'].includes(searchParams.get('watch') ?? '')) return watch(request, response, resource);
    sendList(response, listAnswer(resource, searchParams, settings.store), faults.lie);
  };

  const listener = await listen(settings, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A client may disconnect in the middle of its request.
      if (!request.errored) throw error;
    });
  });
  return {
    port: listener.port,
    url: `https://${settings.host ?? '127.0.0.1'}:${listener.port}`,
    requests,
    served: () => ({
      requests: served,
      connections: listener.connections(),
      accepted: listener.accepted(),
      watches: watches.size,
    }),
    setFaults: async (changed) => {
      const isOtherLie = changed.lie !== undefined && changed.lie !== faults.lie;
      faults = { ...faults, ...changed };
      if (isOtherLie) for (const response of watches) response.destroy();
      await listener.apply({ refuse: faults.refuse, reset: faults.reset });
    },
    stop: listener.stop,
  };
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'https://localhost');
}

function probeAnswer(path: string, faults: Faults): { code: number; text: string } | undefined {
  if (path !== '/readyz' && path !== '/livez') return undefined;
  return faults.starting || (path === '/readyz' && faults.notReady)
    ? { code: 500, text: '[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n' }
    : { code: 200, text: 'ok' };
}

/** Answers that need no credentials. Unknown API paths get a real server's 404; anything else feeds load generators. */
function otherAnswer(path: string, faults: Faults): Answer | undefined {
  if (faults.error500)
    return { code: 500, body: status(500, 'InternalError', 'Internal error occurred: fault') };
  if (faults.starting)
    return {
      code: 403,
      body: status(403, 'Forbidden', `forbidden: User "system:anonymous" cannot get path "${path}"`),
    };
  if (path === '/version') return { code: 200, body: version };
  if (
    !path.startsWith('/api') ||
    isUnknownGroup(path) ||
    addressOf(path) !== undefined ||
    discoveryOf(path) !== undefined
  )
    return undefined;
  return { code: 404, body: status(404, 'NotFound', 'the server could not find the requested resource', {}) };
}

function refusal(
  request: IncomingMessage,
  resource: ServedResource | undefined,
  settings: ApiServerSettings,
): Answer | undefined {
  if (resource === undefined || settings.authorize === undefined) return undefined;
  const verdict = settings.authorize(callerOf(request));
  if (verdict === 'allowed') return undefined;
  return verdict === 'unauthenticated'
    ? { code: 401, body: unauthorized }
    : { code: 403, body: forbiddenBody(userOf(callerOf(request)), resource) };
}

/** A token that names an account stands for that account. */
function userOf({ commonName, token }: Caller): string {
  return commonName ?? (token?.startsWith('system:') === true ? token : 'system:anonymous');
}

function forbiddenBody(user: string, { plural }: ServedResource): Status {
  return user.startsWith('system:node:') ? forbiddenForKubelet(user) : forbidden(user, plural);
}

function callerOf(request: IncomingMessage): Caller {
  const { socket, headers } = request;
  const certificate =
    socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate() : undefined;
  const commonName = certificate?.subject?.CN;
  return {
    token: /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
    commonName: typeof commonName === 'string' ? commonName : undefined,
    path: request.url ?? '',
  };
}

const version = {
  major: '1',
  minor: '31',
  gitVersion: 'v1.31.0',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.22.5',
  compiler: 'gc',
  platform: 'linux/amd64',
};
