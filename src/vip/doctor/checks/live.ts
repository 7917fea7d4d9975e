import type { Answer } from '../../../engine/control/answer.ts';
import type { Check } from '../../../engine/examine/check.ts';
import {
  configCheck,
  type LiveProgram,
  type Running,
  supervisorCheck,
} from '../../../engine/examine/live.ts';
import { vrrpStatusSchema } from '../../../keepalived/supervise/vrrp-status.ts';
import type { VipContext } from '../context.ts';

function runningOf(answer: Answer): Running | undefined {
  const { data } = vrrpStatusSchema.safeParse(answer);
  if (data === undefined) return undefined;
  const states = data.instances.map(({ name, state }) => `${name} ${state}`).join(', ');
  const note = states === '' ? '' : ` (${states})`;
  return {
    phase: data.phase,
    current: data.current && { ...data.current, note },
    failure: data.lastFailure?.message,
  };
}

const keepalived: LiveProgram<VipContext> = {
  name: 'keepalived',
  runningOf,
  supervisor: ({ settings, readings }) => readings.supervisor('keepalived', settings.keepalivedSocket),
  config: ({ settings }) => settings.keepalivedConfig,
};

export const liveChecks: readonly Check<VipContext>[] = [
  supervisorCheck(
    keepalived,
    'It starts keepalived and removes what a killed one leaves behind; without it a VIP may stay on two nodes.',
  ),
  configCheck(keepalived, 'Nodes with different lists of peers form separate groups, each with a holder.'),
];
