import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';

import type { Scene } from '../bench/failover/scene.ts';
import { useBrowser, waitForContact } from '../browser/page-world.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { serveNodePage } from '../helpers/vrrp/node-page.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { haproxyGone, heldByAnother, openVipWorld } from './vip-world.ts';

const open = useBrowser();
let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test('a VIP that moves between real nodes moves on the page of a third, by itself and once', async () => {
  const before = await scene.rested();
  const watcher = scene.members.find((node) => node !== before);
  if (watcher === undefined) throw new Error('expected a backup');
  await using served = await serveNodePage(watcher);
  const { page, complaints } = await open(served.url);
  await waitForContact(page);
  const healthy = page.getByRole('heading', { level: 1, name: 'Healthy' });
  await healthy.waitFor();
  const holder = page.locator('.vips .summary .state');
  const shown = [await holder.innerText()];
  expect(shown).toEqual([`held by ${before.name}`]);

  const killedMs = await haproxyGone.inject(scene, before);
  const isAnother = async () => {
    const words = await holder.innerText();
    if (words !== shown.at(-1)) shown.push(words);
    return words !== shown[0] && /^held by cp-\d$/.test(words) && monotonicMs();
  };
  const shownMs = await waitFor('another holder to stand on the page', isAnother, 120_000);
  const next = await heldByAnother(scene, [before]);
  expect(shown.at(-1)).toBe(`held by ${next.name}`);
  const [move] = takeOvers(scene.bed.events(), killedMs, shownMs);
  expect(move).toMatchObject({ node: next.name });
  const after = (ms: number) => Math.round(ms - killedMs);
  console.log(`moved after ${after(move?.fromMs ?? Number.NaN)} ms, on the page after ${after(shownMs)} ms`);

  await haproxyGone.undo(scene, before);
  await healthy.waitFor();
  expect(await holder.innerText()).toBe(`held by ${next.name}`);
  expect(complaints).toEqual([]);
}, 400_000);
