import type { SettingsOf } from '../cli/command-spec.ts';
import { keepalivedReloadCommand } from '../keepalived/supervise/keepalived-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

export const spec = keepalivedReloadCommand;

/** `hawser keepalived reload`: prints one line, or keepalived's own message if it refused. */
export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await printAnswer(
    settings,
    'reload',
    ({ generation, pid, tookMs }) =>
      `keepalived runs on configuration ${generation}, pid ${pid}, after ${tookMs} ms`,
  );
}
