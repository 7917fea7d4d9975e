import type { SettingsOf } from '../cli/command-spec.ts';
import { haproxyReloadCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

export const spec = haproxyReloadCommand;

/** `hawser haproxy reload`: prints one line, or HAProxy's own message if it refused. */
export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await printAnswer(
    settings,
    'reload',
    ({ generation, pid, tookMs }) => `generation ${generation} serves, pid ${pid}, after ${tookMs} ms`,
  );
}
