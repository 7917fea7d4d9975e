import { command } from '../cli/run-command.ts';
import { haproxyReloadCommand, haproxyStatusCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { statusLines } from '../haproxy/supervise/status-lines.ts';
import { supervisorStatusSchema } from '../haproxy/supervise/supervisor-status.ts';
import { printAnswer, printStatus } from './supervisor-answer.ts';

export const haproxyReload = command(haproxyReloadCommand, (settings) =>
  printAnswer(
    settings,
    'reload',
    ({ generation, pid, tookMs }) => `generation ${generation} serves, pid ${pid}, after ${tookMs} ms`,
  ),
);

export const haproxyStatus = command(haproxyStatusCommand, async (settings) => {
  const status = await printStatus(settings, supervisorStatusSchema, statusLines);
  return status === undefined || status.current === null ? 1 : 0;
});
