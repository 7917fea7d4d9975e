import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { OwnPod, PodEvent } from './pod/pod.ts';
import type { ProxyObservers } from './proxy-metrics.ts';
import type { Problem } from './proxy-status.ts';

export type ProblemRecord = ReturnType<typeof createProblemRecord>;

/** Reports problems with the template to the log, the metrics and the status, and as Events of the proxy's pod. */
export function createProblemRecord(
  { log, metrics, once }: ProxyObservers,
  writeEvent: (own: OwnPod, event: PodEvent) => void,
) {
  let current: Problem | undefined;
  let ended: { readonly problem: Problem; readonly atMs: number } | undefined;
  return {
    current: () => current,
    /** The last resolved problem, and how long ago it ended. */
    last: () =>
      ended === undefined ? null : { ...ended.problem, agoMs: Math.round(monotonicMs() - ended.atMs) },
    /** Reports a problem once, and its end when `problem` is undefined. */
    note: (own: OwnPod, problem: Problem | undefined): void => {
      if (problem === undefined && current !== undefined) ended = { problem: current, atMs: monotonicMs() };
      current = problem;
      metrics.refused(problem !== undefined);
      if (problem === undefined) {
        if (!once.clear('template')) return;
        log({ event: 'template-usable' });
        writeEvent(own, { type: 'Normal', reason: 'TemplateServed', message: 'HAProxy serves the template' });
      } else if (once.isNew('template', JSON.stringify(problem))) {
        log({ event: 'template-unusable', level: 'error', ...problem });
        const { reason, message, detail } = problem;
        writeEvent(own, { type: 'Warning', reason, message: [message, detail].join('\n').trim() });
      }
    },
  };
}
