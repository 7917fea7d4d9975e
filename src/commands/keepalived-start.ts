import type { SettingsOf } from '../cli/command-spec.ts';
import { keepalivedStartCommand } from '../keepalived/supervise/keepalived-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

export const spec = keepalivedStartCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await printAnswer(settings, 'start', ({ pid }) => `keepalived runs, pid ${pid}`);
}
