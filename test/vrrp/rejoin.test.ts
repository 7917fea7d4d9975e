import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { apiServerAnswers, startApiServer } from '../helpers/vrrp/api-server.ts';
import { prepareNode } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { type LogLine, logFromNow } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openVipWorld } from './vip-world.ts';

/** A keepalived that died in the meantime is started with the new list. */
const isLoad = (event: string) => event === 'keepalived-started' || event === 'keepalived-reloaded';

test('a node that comes back with an old keepalived.conf stays silent until it knows the current nodes', async () => {
  await using scene = await openVipWorld();
  const { bed, members, guest } = scene;
  const holder = await scene.rested();
  const [returning, witness] = members.filter((each) => each !== holder);
  if (returning === undefined || witness === undefined) throw new Error('no other node');
  const peersOf = (node: typeof witness) => readFileSync(node.at('keepalived.conf'), 'utf8');
  await bed.powerOff(returning);
  bed.setMembers([...members, guest]);
  await waitFor('the others to know the new one', () => peersOf(witness).includes(guest.address));
  await scene.rested();
  expect(peersOf(returning)).not.toContain(guest.address);

  const fromMs = monotonicMs();
  const log = logFromNow(returning, 'keepalived');
  await bed.powerOn(returning);
  startApiServer(bed, returning);
  // The node waits ten seconds for a list, however slowly its API server starts.
  await waitFor('its API server', () => apiServerAnswers(returning));
  // On a busy machine its monitor could start first, and keepalived would start with the new list.
  prepareNode(bed, returning);
  await scene.stack.restoreKeepalived(returning);
  const loadedAt = () => log.lines().flatMap(({ event }, index) => (isLoad(event) ? [index] : []));
  await waitFor('it to start with the old list', () => loadedAt().length > 0);
  await scene.stack.start(returning);
  const isBackup = ({ event, to }: LogLine) => event === 'vrrp-transition' && to === 'BACKUP';
  const spokeAt = () => log.lines().findIndex(isBackup);
  await waitFor('it to take part', () => spokeAt() >= 0);
  expect(peersOf(returning)).toContain(guest.address);
  expect(takeOvers(bed.events(), fromMs, monotonicMs())).toEqual([]);
  const [, knewAt = Number.POSITIVE_INFINITY] = loadedAt();
  expect(spokeAt()).toBeGreaterThan(knewAt);
}, 240_000);
