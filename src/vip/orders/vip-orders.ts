import { messageOf } from '../../engine/system/errors.ts';
import type { OrderEffect } from '../../keepalived/track-value.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import { type OrderFile, readOrderFile, removeOrder } from './order-file.ts';
import {
  effectOf,
  nextProgress,
  notBegun,
  type OrderProgress,
  orderText,
  type VipOrder,
} from './vip-order.ts';

/** Executes the orders of `hawser drain` and `move-vip`, even if those commands have ended. */
export interface VipOrders {
  /** The order's effect on this node's rank for these VIPs. Must be called repeatedly: each call advances the order. */
  readonly effect: (kind: VipKind, holds: boolean) => OrderEffect;
  /** A description of the order; undefined without one. */
  readonly text: (kind: VipKind) => string | undefined;
  /** Reads the order file. Never rejects. */
  readonly read: () => Promise<void>;
  /** Registers a listener that is called when the order changes. */
  readonly onChange: (listener: () => void) => void;
}

interface CurrentOrder {
  readonly order: VipOrder;
  readonly state: OrderProgress;
}

/**
 * Tracks the order in the file at `path` and its progress. An unusable file is logged once and changes nothing. A finished order is
 * removed; to remove the file of an unfinished order cancels it. `kindsHere`: the kinds of VIP that this node has.
 */
export function createVipOrders(
  path: string,
  kindsHere: readonly VipKind[],
  observers: KeepalivedMonitorObservers,
): VipOrders {
  const { log, metrics, once } = observers;
  const listeners: (() => void)[] = [];
  let current: CurrentOrder | undefined;
  let reading: Promise<void> = Promise.resolve();

  const setCurrent = (next: CurrentOrder | undefined): void => {
    current = next;
    for (const kind of kindsHere)
      metrics.drained(kind, next !== undefined && effectOf(next.state, next.order, kind) === 'drain');
    for (const notify of listeners) notify();
  };
  const remove = async (id: string): Promise<void> => {
    await removeOrder(path, id).catch((error: unknown) =>
      log({ event: 'order-not-removed', level: 'warn', path, message: messageOf(error) }),
    );
  };
  const accept = (order: VipOrder): void => {
    if (current?.order.id === order.id) {
      setCurrent({ order, state: current.state });
      return;
    }
    if (current !== undefined) logEnd(current, 'replaced', observers);
    logBegin(order, observers);
    setCurrent({ order, state: notBegun });
  };
  const readFile = async (): Promise<void> => {
    const file = await readOrderFile(path);
    const problem = problemOf(path, file, kindsHere);
    if (problem !== undefined) {
      if (once.isNew('steering', problem))
        log({ event: 'invalid-vip-order', level: 'error', path, message: problem });
      return;
    }
    if (once.clear('steering')) log({ event: 'valid-vip-order', path });
    if (file.kind === 'order') accept(file.order);
    else if (current !== undefined) {
      logEnd(current, 'withdrawn', observers);
      setCurrent(undefined);
    }
  };
  return {
    effect: (kind, holds) => {
      if (current === undefined) return 'none';
      const { order, state } = current;
      if (order.order === 'drain' || order.vip === kind) {
        const next = nextProgress(state, order, { nowMs: Date.now(), holds });
        if (next.kind === 'over' && state.kind !== 'over') {
          logEnd(current, next.outcome, observers);
          void remove(order.id);
        }
        current = { order, state: next };
      }
      return effectOf(current.state, order, kind);
    },
    text: (kind) => current && orderText(current.state, current.order, kind),
    read: async () => {
      reading = reading.then(readFile);
      await reading;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Why the order cannot be executed on this node; undefined if it can, or without an order. */
function problemOf(path: string, file: OrderFile, kindsHere: readonly VipKind[]): string | undefined {
  if (file.kind === 'unusable') return file.message;
  if (file.kind === 'none') return undefined;
  const { order } = file;
  const vips = order.order === 'drain' ? order.vips : [order.vip];
  // A drain outlives a change of the settings: it stays in force for the VIPs that this node still has.
  if (vips.some((kind) => kindsHere.includes(kind))) return undefined;
  return `Cannot use "${path}": the order is for the ${vips.join(' and ')} VIP, which this node does not have, expected ${kindsHere.join(' or ')}`;
}

function logBegin(order: VipOrder, { log }: KeepalivedMonitorObservers): void {
  const { by, why, at: since } = order;
  if (order.order === 'drain') {
    log({ event: 'node-drained', level: 'warn', kinds: order.vips, by, why, since });
    return;
  }
  const { vip: kind, first, until } = order;
  log({ event: 'move-vip-began', kind, to: first, by, why, until });
}

function logEnd({ order, state }: CurrentOrder, outcome: string, { log }: KeepalivedMonitorObservers): void {
  const tookMs = Date.now() - Date.parse(order.at);
  if (order.order === 'drain') log({ event: 'node-undrained', kinds: order.vips, outcome, tookMs });
  else if (state.kind !== 'over') log({ event: 'move-vip-ended', kind: order.vip, outcome, tookMs });
}
