import type { Check } from '../engine/examine/check.ts';
import { doctorFlags, type VipContext } from './doctor/context.ts';
import { configuredPeers, findVips } from './doctor/facts.ts';
import { arp, ipv6, networkd, networkManager, reversePath, vipInterface } from './doctor/link-checks.ts';
import { otherSoftware } from './doctor/other-software.ts';
import { config, program, scheduling, steering, supervisor } from './doctor/program-checks.ts';
import { adverts, foreignRouter, vipHolder } from './doctor/segment-checks.ts';
import { keepalivedPod } from './pod.ts';

const checks: readonly Check<VipContext>[] = [
  arp,
  adverts,
  otherSoftware,
  networkd,
  networkManager,
  foreignRouter,
  reversePath,
  supervisor,
  config,
  program,
  scheduling,
  steering,
  vipInterface,
  vipHolder,
  ipv6,
];

/** The VIP's part of the commands that cover every product. */
export const vip = {
  doctorFlags,
  checks,
  ports: () => [],
  findVips,
  findPeers: configuredPeers,
  home: { kind: 'node' as const, pods: [keepalivedPod] },
};
