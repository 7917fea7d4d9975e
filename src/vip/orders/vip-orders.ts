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

/** Carries out the orders of `hawser drain` and `move-vip`, even if those commands have ended. */
export interface VipOrders {
  /** The rank that an order gives this node for these VIPs. Must be called repeatedly: each call advances the order. */
  readonly effect: (kind: VipKind, holds: boolean) => OrderEffect;
  /** A description for people; undefined without an order. */
  readonly text: (kind: VipKind) => string | undefined;
  /** Reads the order file. Never rejects. */
  readonly read: () => Promise<void>;
  /** Registers a listener that is called when the order changes. */
  readonly onChange: (listener: () => void) => void;
}

interface Known {
  readonly order: VipOrder;
  readonly state: OrderProgress;
}

/**
 * The order in the file at `path`, and its progress. An unusable file is logged once and changes nothing. A finished
 * order is removed; removing the file of any other order cancels it. `kindsHere`: the kinds
 * of VIP that this node has.
 */
export function createVipOrders(
  path: string,
  kindsHere: readonly VipKind[],
  observers: KeepalivedMonitorObservers,
): VipOrders {
  const { log, metrics, once } = observers;
  const listeners: (() => void)[] = [];
  let known: Known | undefined;
  let reading: Promise<void> = Promise.resolve();

  const know = (next: Known | undefined): void => {
    known = next;
    for (const kind of kindsHere)
      metrics.drained(kind, next !== undefined && effectOf(next.state, next.order, kind) === 'drain');
    for (const notify of listeners) notify();
  };
  const remove = async (id: string): Promise<void> => {
    await removeOrder(path, id).catch((error: unknown) =>
      log({ event: 'order-not-removed', level: 'warn', path, message: messageOf(error) }),
    );
  };
  const take = (order: VipOrder): void => {
    if (known?.order.id === order.id) {
      know({ order, state: known.state });
      return;
    }
    if (known !== undefined) logEnd(known, 'replaced', observers);
    logBegin(order, observers);
    know({ order, state: notBegun });
  };
  const look = async (): Promise<void> => {
    const file = await readOrderFile(path);
    const problem = problemOf(path, file, kindsHere);
    if (problem !== undefined) {
      if (once.isNew('steering', problem))
        log({ event: 'invalid-vip-order', level: 'error', path, message: problem });
      return;
    }
    if (once.clear('steering')) log({ event: 'valid-vip-order', path });
    if (file.kind === 'order') take(file.order);
    else if (known !== undefined) {
      logEnd(known, 'withdrawn', observers);
      know(undefined);
    }
  };
  return {
    effect: (kind, holds) => {
      if (known === undefined) return 'none';
      const { order, state } = known;
      if (order.order === 'drain' || order.vip === kind) {
        const next = nextProgress(state, order, { nowMs: Date.now(), holds });
        if (next.kind === 'over' && state.kind !== 'over') {
          logEnd(known, next.outcome, observers);
          void remove(order.id);
        }
        known = { order, state: next };
      }
      return effectOf(known.state, order, kind);
    },
    text: (kind) => known && orderText(known.state, known.order, kind),
    read: async () => {
      reading = reading.then(look);
      await reading;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Why the order cannot be carried out on this node; undefined if it can, or without an order. */
function problemOf(path: string, file: OrderFile, kindsHere: readonly VipKind[]): string | undefined {
  if (file.kind === 'unusable') return file.message;
  if (file.kind === 'none') return undefined;
  const { order } = file;
  const vips = order.order === 'drain' ? order.vips : [order.vip];
  const stranger = vips.find((kind) => !kindsHere.includes(kind));
  if (stranger === undefined) return undefined;
  return `Cannot use "${path}": it is about the ${stranger} VIP, which this node does not have, expected ${kindsHere.join(' or ')}`;
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

function logEnd({ order, state }: Known, outcome: string, { log }: KeepalivedMonitorObservers): void {
  const tookMs = Date.now() - Date.parse(order.at);
  if (order.order === 'drain') log({ event: 'node-undrained', kinds: order.vips, outcome, tookMs });
  else if (state.kind !== 'over') log({ event: 'move-vip-over', kind: order.vip, outcome, tookMs });
}
