import type { Check } from '../engine/examine/check.ts';
import type { ApiLbContext } from './doctor/context.ts';
import { firewallChecks } from './doctor/firewall.ts';
import { doctorFlags } from './doctor/flags.ts';
import { liveChecks } from './doctor/live.ts';
import { peerPortChecks } from './doctor/peer-ports.ts';
import { ports } from './doctor/ports.ts';
import { programChecks } from './doctor/program.ts';
import { haproxyPod } from './pod.ts';

const checks: readonly Check<ApiLbContext>[] = [
  ...liveChecks,
  ...programChecks,
  ...firewallChecks,
  ...peerPortChecks,
];

/** What the API load balancer brings to the commands that look at every product. */
export const apiLb = {
  ...{ name: 'api-lb', doctorFlags, checks, ports },
  home: { kind: 'node' as const, pods: [haproxyPod] },
};
