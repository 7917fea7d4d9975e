import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { createHawserStack, type HawserStackOptions } from '../../helpers/vrrp/hawser.ts';
import type { NodeStack } from '../../helpers/vrrp/node-stack.ts';
import { createTodayStack } from '../../helpers/vrrp/today.ts';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';

/** Whose configuration is measured; `openshift` and `kubeadm` are A and B in test/fixtures/keepalived. */
export const subjects = ['hawser', 'openshift', 'kubeadm'] as const;
export type Subject = (typeof subjects)[number];

export function createStack(
  subject: Subject,
  bed: VrrpBed,
  members: readonly BedNode[],
  options: HawserStackOptions = {},
): NodeStack {
  return subject === 'hawser' ? createHawserStack(bed, options) : createTodayStack(bed, subject, members);
}

/** Minimum observation time during a fault and after it: longer than the subject's own checks take. */
export function observationMs(subject: Subject): { readonly fault: number; readonly recovery: number } {
  return subject === 'hawser' ? { fault: 3_000, recovery: 5_000 } : { fault: 5_000, recovery: 8_000 };
}
