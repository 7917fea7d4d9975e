import { command } from '../cli/run-command.ts';
import { drain as drainNode, undrain as undrainNode } from '../vip/orders/drain.ts';
import { moveVip as moveVipOnce } from '../vip/orders/move-vip.ts';
import { printReport } from '../vip/orders/order-report.ts';
import { drainCommand, moveVipCommand, undrainCommand } from '../vip/orders/order-settings.ts';

export const drain = command(drainCommand, async (settings, { env }) =>
  printReport(await drainNode(settings, env), settings.json),
);

export const undrain = command(undrainCommand, async (settings) =>
  printReport(await undrainNode(settings), settings.json),
);

export const moveVip = command(moveVipCommand, async (settings, { env }) =>
  printReport(await moveVipOnce(settings, env), settings.json),
);
