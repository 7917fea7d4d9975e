import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import type { Observers } from '../../engine/monitor/observers.ts';

/** The parts of a pod that the proxy uses, for its own pod and downstream pods. */
export interface PodFacts {
  readonly name: string;
  readonly namespace: string;
  /** The label `app`; a pod without it is in no group. */
  readonly group: string | undefined;
  /** The proxy that the pod names, `NAME.NAMESPACE`. */
  readonly master: string | undefined;
  /** Undefined until an address is assigned. */
  readonly address: string | undefined;
  /** The pod is Ready and not terminating. */
  readonly isReady: boolean;
}

/** The pod of this process. */
export interface OwnPod extends PodFacts {
  readonly uid: string;
  readonly annotations: Annotations;
}

/** Labels or annotations; empty if they are invalid. */
export const texts = z.catch(z.record(z.string(), z.string()), {});

const pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.optional(z.string()),
    labels: z.optional(texts),
    annotations: z.optional(texts),
    deletionTimestamp: z.nullish(z.string()),
  }),
  status: z.optional(
    z.object({
      podIP: z.optional(z.string()),
      conditions: z.nullish(z.array(z.object({ type: z.string(), status: z.string() }))),
    }),
  ),
});

/** Reads a Pod of core/v1; undefined for any other object. Never throws. */
export function readPod(object: unknown): PodFacts | undefined {
  const { data } = pod.safeParse(object);
  return data && factsOf(data);
}

export function readOwnPod(object: unknown): OwnPod | undefined {
  const { data } = pod.safeParse(object);
  if (data === undefined) return undefined;
  const { uid = '', annotations = {} } = data.metadata;
  return { ...factsOf(data), uid, annotations };
}

function factsOf({ metadata, status }: z.infer<typeof pod>): PodFacts {
  const { name, namespace, labels = {}, annotations = {}, deletionTimestamp } = metadata;
  const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
  return {
    name,
    namespace,
    group: labels['app'] || undefined,
    master: masterOf(annotations, namespace),
    address: status?.podIP || undefined,
    isReady: isReady === true && !deletionTimestamp,
  };
}

/** The name that downstream pods use for the proxy in this pod, `NAME.NAMESPACE`. */
export function proxyNameOf({ master, group, name, namespace }: PodFacts): string {
  return master ?? `${group ?? name}.${namespace}`;
}

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  /** One word, for programs. */
  readonly reason: string;
  readonly message: string;
}

/** The API rejects longer messages. */
const MAX_MESSAGE_CHARACTERS = 1_024;
const TIMEOUT_MS = 5_000;

/** Writes an Event about the pod, for `kubectl describe pod`. Never rejects: the log has the same message. */
export async function writePodEvent(
  session: ApiSession,
  own: OwnPod,
  event: PodEvent,
  { log, once }: Pick<Observers, 'log' | 'once'>,
  signal: AbortSignal,
): Promise<void> {
  const path = pathOf({ apiVersion: 'v1', plural: 'events', namespace: own.namespace });
  const request = { method: 'POST', path, body: eventOf(own, event, new Date().toISOString()) } as const;
  const answer = await askObject(session, request, { signal, timeoutMs: TIMEOUT_MS });
  if (answer.kind === 'object') once.clear('event');
  else if (!signal.aborted && once.isNew('event', answer.message))
    log({ event: 'event-not-written', level: 'warn', message: answer.message });
}

function eventOf({ name, namespace, uid }: OwnPod, event: PodEvent, now: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    ...event,
    message: event.message.slice(0, MAX_MESSAGE_CHARACTERS),
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    source: { component: 'hawser' },
    reportingComponent: 'hawser.dev/proxy',
    reportingInstance: name,
  };
}

/** hawser's own annotation takes precedence over the older proxy's, so that a pod can have both. */
const prefixes = ['hawser.dev', 'haproxy.unity3d.com'] as const;

/** The annotations in which a downstream pod names its proxy. */
const masters = ['hawser.dev/master', 'kontrol.unity3d.com/master'] as const;

/** The annotations that name the database for statistics. */
const databases = ['hawser.dev/opentsdb', 'kontrol.unity3d.com/opentsdb'] as const;

/** The annotations of an object. */
export type Annotations = Readonly<Record<string, string>>;

/** The annotation `hawser.dev/NAME`, else `haproxy.unity3d.com/NAME`; undefined if neither is set. */
export function annotationOf(annotations: Annotations, name: string): string | undefined {
  return firstOf(
    annotations,
    prefixes.map((prefix) => `${prefix}/${name}`),
  );
}

/**
 * The proxy that a pod names, as `NAME.NAMESPACE`. The annotation is `haproxy.default.svc`, with or without a suffix. Without a
 * namespace, the pod's own namespace applies.
 */
function masterOf(annotations: Annotations, namespace: string): string | undefined {
  const [name = '', within = namespace] = firstOf(annotations, masters)?.trim().split('.') ?? [];
  return name === '' ? undefined : `${name}.${within}`;
}

/** The database for statistics, `HOST` or `HOST:PORT`; undefined if neither annotation is set. */
export function databaseOf(annotations: Annotations): string | undefined {
  return firstOf(annotations, databases)?.trim();
}

function firstOf(annotations: Annotations, names: readonly string[]): string | undefined {
  return names.map((name) => annotations[name]).find((text) => text !== undefined && text.trim() !== '');
}
