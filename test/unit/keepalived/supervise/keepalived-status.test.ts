import { expect, test } from 'vitest';
import { initialState, type VrrpSupervisorState } from '../../../../src/keepalived/supervise/state.ts';
import { describeState } from '../../../../src/keepalived/supervise/status.ts';
import { configurationOf } from '../../../helpers/keepalived-world.ts';

const SINCE = 5_000;
const { masterDownMs = 0 } = configurationOf(1).instances[0] ?? {};
const pulse = { switches: 1, silentSince: 0, silentPolls: 12, hung: true };
const up = { kind: 'up', id: { pid: 7, startTicks: 1 }, since: 0 } as const;

function hears(
  after: number,
  part: Partial<VrrpSupervisorState> = {},
  state: 'BACKUP' | 'MASTER' = 'BACKUP',
) {
  const whole: VrrpSupervisorState = {
    ...initialState(configurationOf(1)),
    daemon: up,
    configuration: configurationOf(1),
    instances: [{ name: 'API', state, priority: 100, since: SINCE }],
    ...part,
  };
  const seen = { present: new Set<string>(), trackFiles: [] };
  return describeState(whole, seen, SINCE + after).instances[0]?.hearsHolder;
}

test('a node that stays backup beyond the master-down time hears a holder', () => {
  expect(hears(masterDownMs + 1)).toBe(true);
  expect(hears(masterDownMs)).toBe(false);
});

test('hearsHolder is false on the holder and while keepalived is hung or dead', () => {
  expect(hears(masterDownMs + 1, {}, 'MASTER')).toBe(false);
  expect(hears(masterDownMs + 1, { daemon: { ...up, pulse } })).toBe(false);
  expect(hears(masterDownMs + 1, { daemon: { kind: 'none' } })).toBe(false);
});
