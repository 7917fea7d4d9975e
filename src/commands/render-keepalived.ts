import type { SettingsOf } from '../cli/command-spec.ts';
import { renderKeepalivedOnce } from '../vip/render-keepalived-once.ts';
import { renderKeepalivedCommand } from '../vip/settings/keepalived-render-settings.ts';

export const spec = renderKeepalivedCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  await renderKeepalivedOnce(settings);
  return 0;
}
