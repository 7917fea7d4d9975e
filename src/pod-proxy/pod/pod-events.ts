import { randomBytes } from 'node:crypto';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import type { Observers } from '../../engine/monitor/observers.ts';
import type { OwnPod } from './pod.ts';

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
    ...{ apiVersion: 'v1', kind: 'Event' },
    metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    ...{ ...event, message: event.message.slice(0, MAX_MESSAGE_CHARACTERS) },
    ...{ firstTimestamp: now, lastTimestamp: now, count: 1 },
    ...{ source: { component: 'hawser' }, reportingComponent: 'hawser.dev/proxy', reportingInstance: name },
  };
}
