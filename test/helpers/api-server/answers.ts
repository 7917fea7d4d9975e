import type { ServerResponse } from 'node:http';

/** `body` as kube-apiserver prints it: indented, with a newline at the end. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body, undefined, 2)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code: number;
}

export function status(
  code: number,
  reason: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export const unauthorized = status(401, 'Unauthorized', 'Unauthorized');

export function forbidden(user: string, resource: string): Status {
  const message = `${resource} is forbidden: User "${user}" cannot list resource "${resource}" in API group "" at the cluster scope`;
  return status(403, 'Forbidden', message, { kind: resource });
}

/** The answer to a kubelet that lists all nodes, since Kubernetes 1.32 (kube-apiserver's Node authorizer). */
export function forbiddenForKubelet(user: string): Status {
  const name = user.replace('system:node:', '');
  const { message, ...rest } = forbidden(user, 'nodes');
  return { ...rest, message: `${message}: node '${name}' cannot read all nodes, only its own Node object` };
}

/** The answer of API priority and fairness when the queues of a priority level are full. */
export const tooManyRequests = status(429, 'TooManyRequests', 'Too many requests, please try again later.');

export function expired(asked: number, oldest: number): Status {
  return status(410, 'Expired', `too old resource version: ${asked} (${oldest})`);
}

export function tooNew(asked: number, current: number): Status {
  return status(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
