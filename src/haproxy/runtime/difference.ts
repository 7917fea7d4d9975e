import { describeConfiguration } from './describe-configuration.ts';
import { type Plan, plan } from './plan.ts';

/** How to come from one haproxy.cfg to another. For a file that is small enough to be read whole for each change. */
export function differenceOf(before: string, after: string): Plan {
  const [running, wanted] = [describeConfiguration(before), describeConfiguration(after)];
  if (running !== undefined && wanted !== undefined) return plan(running, wanted);
  return { kind: 'reload', what: 'conditions', reason: 'parts of the file depend on conditions' };
}
