import type { Check } from './check.ts';
import { addressAnswerChecks } from './checks/address-answers.ts';
import { clusterChecks } from './checks/cluster.ts';
import { credentialChecks } from './checks/credentials.ts';
import { firewallChecks } from './checks/firewall.ts';
import { foreignRouterChecks } from './checks/foreign-router.ts';
import { kernelChecks } from './checks/kernel.ts';
import { kubeconfigServerChecks } from './checks/kubeconfig-server.ts';
import { linkManagerChecks } from './checks/link-managers.ts';
import { liveChecks } from './checks/live.ts';
import { otherSoftwareChecks } from './checks/other-software.ts';
import { peerPortChecks } from './checks/peer-ports.ts';
import { peerChecks } from './checks/peers.ts';
import { portChecks } from './checks/ports.ts';
import { programChecks } from './checks/programs.ts';
import { schedulingChecks } from './checks/scheduling.ts';
import { settingsFileChecks } from './checks/settings-file.ts';
import { steeringChecks } from './checks/steering.ts';
import { vipChecks } from './checks/vip.ts';
import { vrrpChecks } from './checks/vrrp.ts';

/** Every check, in the order in which they are shown: what runs, the VIP, the network, the API, the programs. */
export const checks: readonly Check[] = [
  ...settingsFileChecks,
  ...liveChecks,
  ...steeringChecks,
  ...vipChecks,
  ...vrrpChecks,
  ...foreignRouterChecks,
  ...peerChecks,
  ...peerPortChecks,
  ...firewallChecks,
  ...portChecks,
  ...kernelChecks,
  ...addressAnswerChecks,
  ...linkManagerChecks,
  ...otherSoftwareChecks,
  ...kubeconfigServerChecks,
  ...credentialChecks,
  ...clusterChecks,
  ...programChecks,
  ...schedulingChecks,
];
