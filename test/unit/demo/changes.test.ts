import { expect, it } from 'vitest';
import { describeChanges } from '../../../scripts/demo/changes.ts';
import type { Sight } from '../../../scripts/demo/look.ts';
import type { SupervisorStatus } from '../../../src/haproxy/supervise/supervisor-status.ts';

const up = { name: 'cp-1', status: 'UP', check: 'L7OK', sessions: 0 };
const generation = { generation: 3, pid: 1, workers: [2], ageMs: 0, sessions: 0 };
const supervisor: SupervisorStatus = {
  ok: true,
  phase: 'serving',
  current: { ...generation, config: 'live', configSha256: '' },
  draining: [],
  reload: null,
  restart: null,
  lastFailure: null,
};
const sight: Sight = { servers: [up], supervisor };

it('is silent while nothing happens, and while a server is merely on its way', () => {
  expect(describeChanges(sight, sight)).toEqual([]);
  expect(describeChanges(sight, { ...sight, servers: [{ ...up, status: 'UP 1/2' }] })).toEqual([]);
});

it('tells which server came, went or changed', () => {
  const down = { ...up, status: 'DOWN', check: 'L4CON' };
  const other = { ...up, name: 'cp-2' };
  expect(describeChanges(sight, { ...sight, servers: [down, other] })).toEqual([
    'HAProxy: cp-1 is DOWN (L4CON)',
    'HAProxy: cp-2 is new, UP',
  ]);
  expect(describeChanges({ ...sight, servers: [up, other] }, sight)).toEqual(['HAProxy: cp-2 is gone']);
});

it('does not take an unanswered question for servers that are gone', () => {
  expect(describeChanges(sight, { servers: [], supervisor: undefined })).toEqual([]);
});

it('tells which generation serves and which has drained', () => {
  const old = { ...generation, generation: 2, terminateInMs: 1, sent: 'soft-stop' as const, reason: '' };
  const reloading: Sight = { ...sight, supervisor: { ...supervisor, draining: [old] } };
  expect(describeChanges({ ...sight, supervisor: undefined }, sight)).toEqual([
    'supervisor: generation 3 serves',
  ]);
  expect(describeChanges(reloading, sight)).toEqual(['supervisor: generation 2 has drained']);
  expect(describeChanges(reloading, { ...sight, supervisor: undefined })).toEqual([]);
});
