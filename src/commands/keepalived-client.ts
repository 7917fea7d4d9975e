import { command } from '../cli/run-command.ts';
import * as specs from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { vrrpStatusLines, vrrpStatusSchema } from '../keepalived/supervise/vrrp-status.ts';
import { printAnswer, printStatus } from './supervisor-answer.ts';

export const keepalivedReload = command(specs.keepalivedReloadCommand, (settings) =>
  printAnswer(
    settings,
    'reload',
    ({ generation, pid, tookMs }) =>
      `keepalived runs on configuration ${generation}, pid ${pid}, after ${tookMs} ms`,
  ),
);

export const keepalivedStart = command(specs.keepalivedStartCommand, (settings) =>
  printAnswer(settings, 'start', ({ pid }) => `keepalived runs, pid ${pid}`),
);

export const keepalivedStop = command(specs.keepalivedStopCommand, (settings) =>
  printAnswer(settings, 'stop', () => 'keepalived is stopped, no VIP is left'),
);

export const keepalivedStatus = command(specs.keepalivedStatusCommand, async (settings) => {
  const status = await printStatus(settings, vrrpStatusSchema, vrrpStatusLines);
  if (status === undefined || status.trouble !== undefined) return 1;
  return settings.alive === true || status.phase === 'running' || status.phase === 'down' ? 0 : 1;
});
