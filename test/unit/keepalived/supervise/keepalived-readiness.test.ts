import { expect, test } from 'vitest';
import { unreadiness } from '../../../../src/keepalived/supervise/supervise-keepalived.ts';
import type { VrrpStatus } from '../../../../src/keepalived/supervise/vrrp-status.ts';

type State = VrrpStatus['instances'][number]['state'];

function told(phase: VrrpStatus['phase'], ...states: readonly State[]): string | undefined {
  const common = { priority: 100, sinceMs: 0, vips: [] };
  return unreadiness({
    phase,
    instances: states.map((state, index) => ({ name: `V${index}`, state, ...common })),
  });
}

test.each<{ states: readonly State[] }>([
  { states: ['MASTER'] },
  { states: ['BACKUP'] },
  // A node without a router competes for the API VIP only, not for the ingress VIP.
  { states: ['BACKUP', 'FAULT'] },
])('keepalived is ready with $states', ({ states }) => {
  expect(told('running', ...states)).toBeUndefined();
});

test.each<{ phase: VrrpStatus['phase']; states: readonly State[]; message: string }>([
  {
    phase: 'running',
    states: ['FAULT', 'UNKNOWN'],
    message: 'keepalived competes for no VIP: V0 is FAULT, V1 is UNKNOWN',
  },
  { phase: 'running', states: [], message: 'keepalived competes for no VIP: no instance' },
  {
    phase: 'waiting-for-configuration',
    states: [],
    message: 'keepalived does not run: waiting-for-configuration',
  },
  { phase: 'down', states: ['BACKUP'], message: 'keepalived does not run: down' },
])('keepalived is not ready, $phase and $states: $message', ({ phase, states, message }) => {
  expect(told(phase, ...states)).toBe(message);
});
