import { expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import type { PeerObservation } from '../../../../src/engine/peers/observe-peers.ts';
import { statusLines } from '../../../../src/operate/status/view/status-lines.ts';
import { backupHere, healthyHere, silentPeers, statusOf } from '../../../helpers/status-scenes.ts';
import type { NodeStatus } from '../../../helpers/status-types.ts';
import { nodeStatusSchema } from '../../../helpers/status-types.ts';

type Mode = NonNullable<NodeStatus['keepalivedMonitor']>['mode'];

/** cp-1, a backup whose keepalived hears a holder. */
function hearing(part: { readonly hearsHolder?: boolean; readonly mode?: Mode; readonly without?: string }) {
  const { keepalivedSupervisor: supervisor, keepalivedMonitor: monitor } = backupHere;
  if (supervisor === null || monitor === null) throw new Error('expected both to say something');
  const { hearsHolder = true, mode = 'unicast', without } = part;
  return {
    ...backupHere,
    keepalivedSupervisor: {
      ...supervisor,
      instances: supervisor.instances.map((each) => ({ ...each, hearsHolder })),
    },
    keepalivedMonitor: { ...monitor, mode, group: monitor.group.filter(({ name }) => name !== without) },
  };
}

function publishing(name: string, published: NodeStatus): readonly PeerObservation<NodeStatus>[] {
  return silentPeers.map((look) =>
    look.peer.name === name ? { ...look, problem: null, published: { ...published, node: name } } : look,
  );
}

function heardFrom(here: NodeStatus, looks = silentPeers): readonly string[] {
  const { peers } = statusOf(here, undefined, looks);
  return peers.flatMap(({ name, observed }) => (observed.adverts === 'arrive' ? [name] : []));
}

test('of two nodes it can only be the other one, and the line of that one says so', () => {
  const two = silentPeers.filter(({ peer }) => peer.name === 'cp-2');
  const here = hearing({ without: 'cp-3' });
  expect(heardFrom(here, two)).toEqual(['cp-2']);
  const text = (node: NodeStatus) =>
    statusLines(statusOf(node, undefined, two), statusProducts, { colours: false }).join(' ');
  expect(text(here)).toContain('its adverts arrive');
  expect(text(backupHere)).not.toContain('adverts arrive');
});

test('of three it is not known, unless all but one say that they are no holder', () => {
  expect(heardFrom(hearing({}))).toEqual([]);
  expect(heardFrom(hearing({}), publishing('cp-2', backupHere))).toEqual(['cp-3']);
  expect(heardFrom(hearing({}), publishing('cp-2', healthyHere))).toEqual([]);
});

test.each([
  ['no holder is heard', hearing({ without: 'cp-3', hearsHolder: false })],
  ['it may be any host on the segment', hearing({ without: 'cp-3', mode: 'multicast' })],
  ['the supervisor does not say', backupHere],
  ['the monitor does not say who is in the group', { ...hearing({}), keepalivedMonitor: null }],
])('nothing is claimed where %s', (_, here) => {
  expect(heardFrom(here)).toEqual([]);
});

test('beside the VIP it is shown that a holder is heard, whichever that is', () => {
  const told = (here: NodeStatus) => [
    statusOf(here).vips[0]?.why.join('\n').includes('cp-1: the adverts of a holder arrive here'),
    statusLines(statusOf(here), statusProducts, { colours: false }).join(' ').includes('adverts of a holder'),
  ];
  expect(told(hearing({}))).toEqual([true, true]);
  expect(told(hearing({ hearsHolder: false }))).toEqual([false, false]);
  expect(told(backupHere)).toEqual([false, false]);
});

test('an older supervisor, which does not say, is understood', () => {
  expect(nodeStatusSchema.parse(backupHere)).toEqual(backupHere);
  expect(nodeStatusSchema.parse(hearing({}))).toEqual(hearing({}));
});
