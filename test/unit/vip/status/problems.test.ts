import { expect, test } from 'vitest';
import { keepalivedProblems, vipProblems } from '../../../../src/vip/status/problems.ts';
import { healthyHere } from '../../../helpers/status-scenes.ts';

const monitor = healthyHere.keepalivedMonitor;
const [priority] = monitor?.priorities ?? [];
const vip = priority?.vips[0] ?? '';
const here = (isSilent: boolean, holder: boolean) => ({
  ...healthyHere,
  keepalivedSupervisor: isSilent ? null : healthyHere.keepalivedSupervisor,
  keepalivedMonitor: monitor && priority ? { ...monitor, priorities: [{ ...priority, holder }] } : null,
});
const cluster = (node: ReturnType<typeof here>, holders: readonly string[]) => ({
  here: node,
  vips: [{ vip, kind: 'API', holders }],
});

test.each([
  ['silent supervisor, which held it', true, true, ['cp-2'], ['out-of-group']],
  ['silent supervisor, which did not hold it', true, false, ['cp-2'], []],
  ['supervisor that answers', false, true, ['cp-2'], []],
  ['silent supervisor, on the node that has it', true, true, ['cp-1'], []],
  ['no holder', false, false, [], ['outage']],
  ['two holders', false, true, ['cp-1', 'cp-2'], ['outage']],
])('the rank of a problem with the VIP: %s', (_what, isSilent, holder, holders, ranks) => {
  const found = vipProblems(cluster(here(isSilent, holder), holders) as never);
  expect(found.map(({ rank }) => rank)).toEqual(ranks);
});

test('a node whose virtual router ID is taken is out of the group, and a healthy one is not', () => {
  expect(keepalivedProblems(healthyHere)).toEqual([]);
  const taken = {
    ...here(false, true),
    keepalivedMonitor: monitor && { ...monitor, virtualRouterIdTaken: 'by x' },
  };
  expect(keepalivedProblems(taken)).toMatchObject([{ rank: 'out-of-group', text: 'by x' }]);
});

test.each([
  ['other nodes', 'failed', ['redundancy']],
  ['load balancer', 'failed', ['out-of-group']],
  ['load balancer', 'unknown', []],
  ['load balancer', 'ok', []],
  ['local API server', 'failed', []],
])('the health check "%s" in state %s gives the problems %j', (check, state, ranks) => {
  const ok = { check: 'x', state: 'ok', message: 'x' };
  const checks = [ok, ok, { check, state, message: 'x' }];
  const node = {
    ...here(false, true),
    keepalivedMonitor: monitor && { ...monitor, priorities: [{ ...priority, order: null, checks }] },
  };
  expect(keepalivedProblems(node as never).map(({ rank }) => rank)).toEqual(ranks);
});
