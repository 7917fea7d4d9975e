import type { Answer } from '../../engine/control/answer.ts';
import type { Check } from '../../engine/examine/check.ts';
import { configCheck, type LiveProgram, type Running, supervisorCheck } from '../../engine/examine/live.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import type { ApiLbContext } from './context.ts';

function runningOf(answer: Answer): Running | undefined {
  const { data } = supervisorStatusSchema.safeParse(answer);
  if (data === undefined) return undefined;
  const note = data.current?.config === 'last-good' ? ', on the last good copy of its configuration' : '';
  return {
    phase: data.phase,
    current: data.current && { ...data.current, note },
    failure: data.lastFailure?.message,
  };
}

const haproxy: LiveProgram<ApiLbContext> = {
  name: 'haproxy',
  runningOf,
  supervisor: ({ settings, readings }) => readings.supervisor('haproxy', settings.haproxySocket),
  config: ({ settings }) => settings.haproxyConfig,
};

export const liveChecks: readonly Check<ApiLbContext>[] = [
  supervisorCheck(haproxy, 'It starts, proves and restarts HAProxy; without it a dead HAProxy stays dead.'),
  configCheck(
    haproxy,
    'A file that differs from what runs is a change that did not arrive, or one that the next reload loads.',
  ),
];
