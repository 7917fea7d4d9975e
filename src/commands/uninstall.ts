import { createRedirectKeeper } from '../api-lb/redirect-keeper.ts';
import { readCommandLine } from '../cli/command-line.ts';
import { uninstallCommand, uninstallSettings } from '../operate/install/install-settings.ts';
import { type RemoveTables, uninstall } from '../operate/install/uninstall.ts';
import { createAdvertTrap } from '../vip/guards/advert-trap.ts';
import { createAnswerTrap } from '../vip/guards/answer-trap.ts';
import { createVipUseTrap } from '../vip/guards/vip-use-trap.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(uninstallCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await uninstall(uninstallSettings(line.values), removeTables);
}

const removeTables: RemoveTables = async () => {
  const redirect = await createRedirectKeeper().remove();
  const traps = await Promise.all(
    [createAdvertTrap(), createAnswerTrap(), createVipUseTrap()].map((trap) => trap.remove()),
  );
  const left = traps.filter((message) => message !== undefined);
  return redirect.kind === 'failed'
    ? { changed: false, left: [redirect.message, ...left] }
    : { changed: redirect.changed, left };
};
