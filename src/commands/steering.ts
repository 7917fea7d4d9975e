import { command } from '../cli/run-command.ts';
import { drain as drainNode } from '../vip/steering/drain.ts';
import { moveVip as moveVipOnce } from '../vip/steering/move-vip.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { drainCommand, moveVipCommand, undrainCommand } from '../vip/steering/steering-settings.ts';
import { undrain as undrainNode } from '../vip/steering/undrain.ts';

export const drain = command(drainCommand, async (settings, { env }) =>
  printReport(await drainNode(settings, env), settings.json),
);

export const undrain = command(undrainCommand, async (settings) =>
  printReport(await undrainNode(settings), settings.json),
);

export const moveVip = command(moveVipCommand, async (settings, { env }) =>
  printReport(await moveVipOnce(settings, env), settings.json),
);
