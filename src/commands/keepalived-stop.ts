import type { SettingsOf } from '../cli/command-spec.ts';
import { keepalivedStopCommand } from '../keepalived/supervise/keepalived-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

export const spec = keepalivedStopCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await printAnswer(settings, 'stop', () => 'keepalived is down, no VIP is left');
}
