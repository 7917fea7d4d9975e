import { checks, ports } from './doctor/checks.ts';
import { doctorFlags } from './doctor/flags.ts';
import { haproxyPod } from './pod.ts';

/** The API load balancer's checks, flags and pods for the commands that cover every product. */
export const apiLb = {
  doctorFlags,
  checks,
  ports,
  home: { kind: 'node' as const, pods: [haproxyPod] },
};
