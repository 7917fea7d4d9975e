import { changeProblem, type Problem, problem, problemsAmong } from '../../engine/examine/problem.ts';
import type { PodProxyNode } from './pod-proxy-node.ts';

/** What keeps the pod proxy from serving what its annotation and its downstream pods say. */
export function podProxyProblems({ podProxy }: PodProxyNode): readonly Problem[] {
  if (!podProxy) return [];
  const { known, hosts, problem: refused, dns, lastChange } = podProxy;
  if (!known) return [problem('blind', 'the pod proxy has not read its pod from the API yet')];
  const isEmpty = hosts !== null && Object.values(hosts).every((addresses) => addresses.length === 0);
  return problemsAmong([
    isEmpty && problem('outage', 'no ready pod stands behind the pod proxy'),
    refused !== null &&
      problem(
        'change',
        `the pod proxy does not serve all that its annotations ask for (${refused.reason}): ${refused.message}`,
      ),
    dns?.problems[0] !== undefined &&
      problem('change', `the pod proxy's DNS records are not right: ${dns.problems[0]}`),
    refused === null && changeProblem("the pod proxy's configuration", lastChange),
  ]);
}
