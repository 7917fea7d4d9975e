import type { Check } from '../engine/examine/check.ts';
import type { ApiLbContext } from './doctor/context.ts';
import { firewallChecks } from './doctor/firewall.ts';
import { liveChecks } from './doctor/live.ts';
import { nonlocalBindChecks } from './doctor/nonlocal-bind.ts';
import { peerPortChecks } from './doctor/peer-ports.ts';
import { ports } from './doctor/ports.ts';
import { programChecks } from './doctor/program.ts';

const checks: readonly Check<ApiLbContext>[] = [
  ...liveChecks,
  ...programChecks,
  ...firewallChecks,
  ...peerPortChecks,
  ...nonlocalBindChecks,
];

/** What the API load balancer brings to the commands that look at every product. */
export const apiLb = { name: 'api-lb', checks, ports };
