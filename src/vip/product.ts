import type { Check } from '../engine/examine/check.ts';
import { addressAnswerChecks } from './doctor/checks/address-answers.ts';
import { foreignRouterChecks } from './doctor/checks/foreign-router.ts';
import { linkManagerChecks } from './doctor/checks/link-managers.ts';
import { liveChecks } from './doctor/checks/live.ts';
import { otherSoftwareChecks } from './doctor/checks/other-software.ts';
import { programChecks } from './doctor/checks/program.ts';
import { reversePathChecks } from './doctor/checks/rp-filter.ts';
import { schedulingChecks } from './doctor/checks/scheduling.ts';
import { steeringChecks } from './doctor/checks/steering.ts';
import { vipChecks } from './doctor/checks/vip.ts';
import { vrrpChecks } from './doctor/checks/vrrp.ts';
import type { VipContext } from './doctor/context.ts';
import { doctorFlags } from './doctor/flags.ts';
import { configuredPeers } from './doctor/look/configured-peers.ts';
import { lookForVips } from './doctor/look/vips.ts';
import { keepalivedPod } from './pod.ts';

const checks: readonly Check<VipContext>[] = [
  ...liveChecks,
  ...programChecks,
  ...schedulingChecks,
  ...steeringChecks,
  ...vipChecks,
  ...vrrpChecks,
  ...foreignRouterChecks,
  ...addressAnswerChecks,
  ...reversePathChecks,
  ...linkManagerChecks,
  ...otherSoftwareChecks,
];

/** What the VIP brings to the commands that look at every product. */
export const vip = {
  ...{ name: 'vip', doctorFlags, checks, ports: () => [] },
  lookForVips,
  lookForPeers: configuredPeers,
  home: { kind: 'node' as const, pods: [keepalivedPod] },
};
