import { createRedirectKeeper } from '../api-lb/redirect/redirect-keeper.ts';
import { removeRedirects } from '../api-lb/redirect/remove-redirects.ts';
import type { SettingsOf } from '../cli/command-spec.ts';
import { removeSynDrops } from '../haproxy/remove-syn-drops.ts';
import { uninstallCommand } from '../operate/install/install-settings.ts';
import { type RemoveTables, uninstall } from '../operate/install/uninstall.ts';
import { createAdvertTrap } from '../vip/guards/advert-trap.ts';
import { createAnswerTrap } from '../vip/guards/answer-trap.ts';
import { createVipUseTrap } from '../vip/guards/vip-use-trap.ts';
import { installable } from './pods.ts';

export const spec = uninstallCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await uninstall(settings, installable, removeTables);
}

const removeTables: RemoveTables = async (instance) => {
  const redirect =
    instance === undefined ? await removeRedirects() : await createRedirectKeeper({ instance }).remove();
  const traps = await Promise.all(
    instance === undefined
      ? [createAdvertTrap(), createAnswerTrap(), createVipUseTrap()].map((trap) => trap.remove())
      : [],
  );
  const left = [...traps, await removeSynDrops()].filter((message) => message !== undefined);
  return redirect.kind === 'failed'
    ? { changed: false, left: [redirect.message, ...left] }
    : { changed: redirect.changed, left };
};
