import type { SettingsOf } from '../cli/command-spec.ts';
import { renderKeepalivedCommand } from '../vip/keepalived-render-settings.ts';
import { renderKeepalivedOnce } from '../vip/render-keepalived-once.ts';

export const spec = renderKeepalivedCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  await renderKeepalivedOnce(settings);
  return 0;
}
