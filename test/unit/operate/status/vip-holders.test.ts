import { expect, test } from 'vitest';
import {
  answeredBy,
  backupHere,
  healthyHere,
  holdsHere,
  statusOf,
  vip,
  without,
} from '../../../helpers/status-scenes.ts';
import { clusterStatusSchema } from '../../../helpers/status-types.ts';

const vipOf = (...scene: Parameters<typeof statusOf>) => statusOf(...scene).vips[0];

test('this node is the holder', () => {
  const status = statusOf(healthyHere);
  expect(clusterStatusSchema.parse(status)).toEqual(status);
  expect(status.vips).toEqual([{ vip, kind: 'api', holders: ['cp-1'] }]);
});

test.each(['cp-2', 'cp-3'] as const)('%s is the holder if it answers on the segment', (name) => {
  const status = statusOf(backupHere, answeredBy(name));
  expect(status.vips[0]?.holders).toEqual([name]);
  expect(status.peers.map(({ holds }) => holds)).toEqual(
    ['cp-2', 'cp-3'].map((each) => (each === name ? [vip] : [])),
  );
});

test('a VIP without a holder or with an unknown holder', () => {
  expect(vipOf(backupHere, answeredBy('free'))?.holders).toEqual([]);
  expect(vipOf(backupHere, answeredBy('a stranger'))?.holders).toEqual(['02:00:00:00:00:99']);
  expect(vipOf(backupHere, { ownAddresses: new Set(), holders: () => [] })?.holders).toEqual([]);
});

test("there are two holders if this node hears another node's adverts while it holds the VIP", () => {
  const split = {
    ...healthyHere,
    keepalivedMonitor: healthyHere.keepalivedMonitor && {
      ...healthyHere.keepalivedMonitor,
      splitBrain: [{ vip, holders: ['cp-3'] }],
    },
  };
  expect(vipOf(split)?.holders).toEqual(['cp-1', 'cp-3']);
});

test('if both keepalived programs are dead, the address on the interface decides', () => {
  const blind = without(healthyHere, 'keepalived-supervisor', 'keepalived-monitor');
  expect(vipOf(blind, holdsHere)).toEqual({ vip, kind: 'api', holders: ['cp-1'] });
});
