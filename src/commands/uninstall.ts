import { createRedirectKeeper } from '../api-lb/redirect/redirect-keeper.ts';
import type { SettingsOf } from '../cli/command-spec.ts';
import { removeSynDrops } from '../haproxy/remove-syn-drops.ts';
import { uninstallCommand } from '../operate/install/install-settings.ts';
import { type RemoveTables, uninstall } from '../operate/install/uninstall.ts';
import { createSegmentCapture } from '../vip/segment/segment-capture.ts';
import { installable } from './pods.ts';

export const spec = uninstallCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await uninstall(settings, installable, removeTables);
}

const removeTables: RemoveTables = async () => {
  const redirect = await createRedirectKeeper().remove();
  const traces = [await createSegmentCapture().remove(), await removeSynDrops()];
  const left = traces.filter((message) => message !== undefined);
  return redirect.kind === 'failed'
    ? { changed: false, left: [redirect.message, ...left] }
    : { changed: redirect.changed, left };
};
