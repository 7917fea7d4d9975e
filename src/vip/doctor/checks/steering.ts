import { dirname } from 'node:path';
import { type Check, type Finding, moreRights, ok, unknown, warn } from '../../../engine/examine/check.ts';
import type { FileReading } from '../../../engine/examine/host-files.ts';
import { isoTime } from '../../../engine/system/time/iso-time.ts';
import { parseSteeringOrder } from '../../steering/steering-file.ts';
import type { SteeringOrder } from '../../steering/vrrp-steering.ts';
import type { VipContext } from '../context.ts';

/** Maintenance of a node ends within a day; an older order was forgotten. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
/** The monitor looks every few seconds. */
const LATE_AFTER_MS = 60_000;

function judgeOrder(path: string, look: FileReading, nowMs: number): Finding {
  if (look.kind === 'missing') return ok('not drained, no move in progress');
  if (look.kind === 'unreadable') return unknown(look.reason, moreRights);
  const parsed = parseSteeringOrder(look.text);
  if (parsed.kind === 'unusable')
    return warn(`${path} is ignored: ${parsed.problem}`, 'hawser undrain removes it');
  return judgeStanding(path, parsed.order, nowMs);
}

function judgeStanding(path: string, order: SteeringOrder, nowMs: number): Finding {
  const { by, why, atMs } = order;
  const whose = `by ${by} since ${isoTime(atMs)}${why === '' ? '' : `: ${why}`}`;
  if (order.kind === 'drain') {
    const found = `this node is drained (${order.vips.join(', ')}) ${whose}`;
    return nowMs - atMs < FORGOTTEN_AFTER_MS ? ok(found) : warn(found, 'hawser undrain, if the work is done');
  }
  if (nowMs < order.untilMs + LATE_AFTER_MS) return ok(`a move-vip is in progress ${whose}`);
  return warn(
    `a move-vip ${whose} should be over, but is still in ${path}`,
    "crictl logs $(crictl ps -q --name '^keepalived-monitor$'): it carries orders out",
  );
}

const steering: Check<VipContext> = {
  id: 'steering',
  title: 'Orders that move the VIP',
  why: 'A drained node takes the VIP only if no other node can: if forgotten, it is missing at the next failure.',
  run: async ({ files, settings }) => {
    const path = `${dirname(settings.keepalivedConfig)}/vrrp-steering.json`;
    return judgeOrder(path, await files.read(path), Date.now());
  },
};

export const steeringChecks: readonly Check<VipContext>[] = [steering];
