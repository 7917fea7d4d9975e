import type { PageAddress } from '../system/network/ask-page.ts';
import type { Labels } from './metrics-registry.ts';

/** What settings of a program say that may run several times on a node; undefined for the one without a name. */
export interface InstanceSettings {
  readonly instance?: string | undefined;
}

/** `haproxy-monitor-b`: its name in its log and its journal, which several instances may keep in one folder. */
export function instanceProgram(program: string, { instance }: InstanceSettings): string {
  return instance === undefined ? program : `${program}-${instance}`;
}

/** On each of its metrics. Not "instance", which Prometheus has for the address that it asks. */
export function instanceLabels({ instance }: InstanceSettings): Labels {
  return instance === undefined ? {} : { hawser_instance: instance };
}

/**
 * What its page says at `/instance`: an announcement alone proves nothing. `others` are pages of what it drives, by name.
 * Undefined for the one without a name.
 */
export function instanceIdentity(
  program: string,
  { instance }: InstanceSettings,
  others: Readonly<Record<string, PageAddress>> = {},
): object | undefined {
  return instance === undefined ? undefined : { instance, program, others };
}
