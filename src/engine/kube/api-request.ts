import type { IncomingMessage } from 'node:http';
import { type Agent, type RequestOptions, request } from 'node:https';
import { codeOf, messageOf } from '../system/errors.ts';
import type { NamedLimit } from '../system/limit.ts';
import { headOfAnswer, readBody } from '../system/network/ask.ts';
import { parseJson } from '../system/text/parse-json.ts';
import { orAborted } from '../system/time/or-aborted.ts';
import { patientTimer } from '../system/time/patient-timeout.ts';
import type { ApiBase } from './api-bases.ts';
import { type FileContents, withoutFiles } from './credential-files.ts';
import { statusObject } from './kube-objects.ts';
import type { LoadedKubeconfig } from './kubeconfig.ts';

/** A base URL with credentials. */
export interface ApiTarget {
  readonly base: ApiBase;
  readonly kubeconfig: LoadedKubeconfig;
  /** Verifies the server's identity, and keeps connections alive. */
  readonly agent: Agent;
}

/** The API was unreachable or refused the request. `status` is the HTTP status, if there was an answer. */
export interface ApiFailure {
  readonly kind: 'failure';
  readonly status: number | undefined;
  readonly message: string;
  /** From the `Retry-After` of HTTP 429: the server is overloaded or shutting down. */
  readonly retryAfterMs?: number;
  /** The answer exceeded a limit of hawser. The next one most likely will, too. */
  readonly isTooLarge?: boolean;
  /** There was no answer to this request, but the API server answers others: an admission webhook may have delayed a write. */
  readonly isReachable?: boolean;
}

interface RequestLimits {
  readonly signal: AbortSignal;
  /** From the call to the end of the answer. Includes reading credential files, which may hang. */
  readonly timeoutMs: number;
  /** Limit for an answer. If it is exceeded, `status` is the status of the answer: the API server is not to blame. */
  readonly maxBytes: NamedLimit;
}

export interface ObjectRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** For a PATCH, a merge patch (RFC 7386). */
  readonly body?: unknown;
}

type JsonAnswer = { readonly kind: 'json'; readonly value: unknown } | ApiFailure;

/** Requests a path and parses the JSON of a 200 answer. Never throws: invalid JSON, a long body and a timeout are failures. */
export async function getJson(target: ApiTarget, path: string, limits: RequestLimits): Promise<JsonAnswer> {
  return await requestJson(target, { method: 'GET', path }, limits);
}

/** Like `getJson`, for any request, and also for a 201 answer. */
export async function requestJson(
  target: ApiTarget,
  request: ObjectRequest,
  limits: RequestLimits,
): Promise<JsonAnswer> {
  using deadline = startDeadline(limits);
  try {
    const response = await open(target, request, deadline.signal);
    const text = await readText(response, limits.maxBytes);
    if (response.statusCode !== 200 && response.statusCode !== 201)
      return refused(response, text, request.method);
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    return failure(deadline.signal, error);
  }
}

/** Requests a 200 answer with a body of unlimited length and duration. `timeoutMs` applies only until the headers. */
export async function openStream(
  target: ApiTarget,
  path: string,
  limits: RequestLimits,
): Promise<{ readonly kind: 'stream'; readonly response: IncomingMessage } | ApiFailure> {
  using deadline = startDeadline(limits);
  try {
    const response = await open(target, { method: 'GET', path }, deadline.signal);
    if (response.statusCode === 200) return { kind: 'stream', response };
    return refused(response, await readText(response, limits.maxBytes), 'GET');
  } catch (error) {
    return failure(deadline.signal, error);
  }
}

async function open(
  target: ApiTarget,
  { method, path, body }: ObjectRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { headers, ...options } = await withCredentials(target, signal);
  const content = body === undefined ? undefined : JSON.stringify(body);
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const typed = content === undefined ? headers : { ...headers, 'content-type': type };
  return await send(`${target.base.url}${path}`, { ...options, method, headers: typed }, content, true);
}

async function send(
  url: string,
  options: RequestOptions,
  content: string | undefined,
  mayRepeat: boolean,
): Promise<IncomingMessage> {
  const outgoing = request(url, options);
  try {
    return await headOfAnswer(() => outgoing, content);
  } catch (error) {
    // The server closed this idle connection, which is no sign of its health.
    const isStale = mayRepeat && outgoing.reusedSocket && codeOf(error) === 'ECONNRESET';
    if (isStale) return await send(url, options, content, false);
    throw error;
  }
}

/** The certificate chain is always verified, even if the kubeconfig or the environment disables that. */
async function withCredentials(target: ApiTarget, signal: AbortSignal): Promise<RequestOptions> {
  const { config, files } = target.kubeconfig;
  const options: RequestOptions = {};
  await orAborted(withoutFiles(config).applyToHTTPSOptions(options), signal);
  const named = fromFiles(await orAborted(files(), signal));
  const { servername, ...rest } = { ...options, ...named };
  const isKubeconfigServer = target.base.alternativeNames.length === 0;
  return {
    ...rest,
    ...(servername !== undefined && isKubeconfigServer ? { servername } : {}),
    agent: target.agent,
    signal,
    rejectUnauthorized: true,
    headers: { ...options.headers, ...named.headers, accept: 'application/json' },
  };
}

/** As in kubectl, a token file takes precedence over a token. */
function fromFiles({ token, ...certificates }: FileContents): RequestOptions {
  const authorization = token && { headers: { Authorization: `Bearer ${token.toString('utf8').trim()}` } };
  return { ...certificates, ...authorization };
}

async function readText(response: IncomingMessage, limit: NamedLimit): Promise<string> {
  const [[name, maxBytes] = ['', 0]] = Object.entries(limit);
  try {
    return (await readBody(response, maxBytes)).toString('utf8');
  } catch (error) {
    if (codeOf(error) !== 'EFBIG') throw error;
    const message = `its answer has more than ${maxBytes} bytes, the limit ${name}`;
    throw Object.assign(new Error(message), { status: response.statusCode, isTooLarge: true });
  }
}

function startDeadline(limits: RequestLimits): { signal: AbortSignal } & Disposable {
  const late = new AbortController();
  const timer = patientTimer(limits.timeoutMs, () =>
    late.abort(new Error(`no answer within ${limits.timeoutMs} ms`)),
  );
  return {
    signal: AbortSignal.any([limits.signal, late.signal]),
    [Symbol.dispose]: timer[Symbol.dispose],
  };
}

function refused(
  { statusCode: status, headers }: IncomingMessage,
  text: string,
  method: ObjectRequest['method'],
): ApiFailure {
  const parsed = statusObject.safeParse(parseJson(text));
  const reason = (parsed.success ? parsed.data.message : undefined) ?? text;
  const expected = status === 401 || status === 403 ? `, expected credentials that may ${verbs[method]}` : '';
  const retryAfterMs = status === 429 ? secondsToMs(headers['retry-after']) : undefined;
  return {
    kind: 'failure',
    status,
    message: `HTTP ${status} ${reason.slice(0, 300).trim()}${expected}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const verbs = { GET: 'list and watch', POST: 'create', PATCH: 'patch' } as const;

/** API servers send seconds. The other form, a date, needs synchronised clocks. */
function secondsToMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function failure(signal: AbortSignal, error: unknown): ApiFailure {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : undefined;
  const isTooLarge = error instanceof Error && 'isTooLarge' in error;
  return { kind: 'failure', status, isTooLarge, message: messageOf(signal.aborted ? signal.reason : error) };
}
