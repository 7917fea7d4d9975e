import { checks, ports } from './doctor/checks.ts';
import { doctorFlags } from './doctor/flags.ts';
import { haproxyPod } from './pod.ts';

/** What the API load balancer brings to the commands that look at every product. */
export const apiLb = {
  ...{ name: 'api-lb', doctorFlags, checks, ports },
  home: { kind: 'node' as const, pods: [haproxyPod] },
};
