import { durationText } from '../../engine/system/text/readable-text.ts';
import type { Departure, Difference, Effect } from './change-cost.ts';

/** What it happens to, where the kind does not say that already. */
export function subjectOf(effect: Effect): string | null {
  if ('vip' in effect) return effect.vip;
  if (effect.kind === 'port-closed') return effect.where;
  return effect.kind === 'redirect-away' ? effect.vips.join(', ') : null;
}

/** The effect in a sentence, for the operator's decision whether to apply it now. */
export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'haproxy-reload':
      return `HAProxy reloads: no connection is refused, and open ones may last for ${durationText(effect.endedWithinMs)}`;
    case 'servers':
      return [listed('servers added:', effect.added), listed('servers removed:', effect.removed)]
        .filter((part) => part !== '')
        .join('; ');
    case 'port-closed':
      return `${effect.where} serves no new clients; open connections drain`;
    case 'load-balancer-away':
      return `HAProxy of this node accepts no connections until its container is back; open ones may last for ${durationText(effect.endedWithinMs)}`;
    case 'redirect-away':
      return `until the monitor is back, for some seconds, new connections to ${effect.vips.join(' and ')} reach this node's own API server alone`;
    case 'keepalived-reload':
      return 'keepalived reloads its configuration, which by itself moves nothing';
    case 'keepalived-away':
      return 'keepalived of this node is out of the group until its container is back';
    case 'health-untold':
      return `the health of this node is not measured until the monitor is back; after ${durationText(effect.doubtfulAfterMs)} the supervisor asks HAProxy itself, and the VIP stays while it answers`;
    case 'vip-moves':
      return `${effect.vip} moves to another node at once${DEPARTURES[effect.because]}`;
    case 'vip-interrupted':
      return `${effect.vip} is on no node for up to ${durationText(effect.forMs)}: keepalived gives it up and joins again`;
    case 'vip-leaves':
      return effect.isHeld
        ? `${effect.vip} leaves this node, and its clients lose their connections; the other nodes still hear this node and may not take it: change the holder last`
        : `${effect.vip} leaves this node; nodes with the old settings still share it`;
    case 'vip-appears':
      return `${effect.vip} comes up, on this node if it is the first that has it`;
    case 'peer-left-out':
      return `${effect.peer} is no longer a peer of this node: unless it is gone, or drops this node as well, both may hold ${effect.vip}`;
    case 'vip-contested':
      return `this node may take ${effect.vip} beside the holder for up to ${durationText(effect.forMs)}: it waits for less time than the holder is silent; change the holder first`;
    case 'two-holders':
      return `two nodes hold ${effect.vip} until every node has these settings: with a different ${effect.because.map((each) => DIFFERENCES[each]).join(' and ')} this node and the others do not hear each other${adviceFor(effect.because)}`;
  }
}

const DEPARTURES: Readonly<Record<Departure, string>> = {
  keepalived: ': keepalived of this one resigns',
  'load-balancer': ', if one of them can serve: HAProxy of this one ends',
  'health-port': ', if one of them can serve: for a moment HAProxy is not where this one asks for it',
};

const DIFFERENCES: Readonly<Record<Difference, string>> = {
  version: 'VRRP version',
  'virtual-router-id': 'virtual router id',
  mode: 'mode',
  interface: 'interface',
};

/** Profile and mode have a way of their own to be changed. */
function adviceFor(because: readonly Difference[]): string {
  const isAgreed = because.includes('version') || because.includes('mode');
  return isAgreed ? '; schedule the change on all nodes instead (docs/migration.md)' : '';
}

function listed(label: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${label} ${names.join(', ')}`;
}
