import type { Departure, Difference, Effect } from '../../model/change-cost.ts';
import { durationText } from '../../model/readable-text.ts';

/** What it happens to, where the kind does not say that already. */
export function subjectOf(effect: Effect): string | null {
  if ('vip' in effect) return effect.vip;
  if (effect.kind === 'port-closed') return effect.where;
  return effect.kind === 'redirect-away' ? effect.vips.join(', ') : null;
}

/** What happens, in a sentence for whoever decides whether to apply it now. */
export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'haproxy-reload':
      return `HAProxy reloads: no connection is refused, and those that are open have ${durationText(effect.endedWithinMs)} to end`;
    case 'servers':
      return [listed('servers that come:', effect.added), listed('servers that go:', effect.removed)]
        .filter((part) => part !== '')
        .join('; ');
    case 'port-closed':
      return `nobody is served at ${effect.where} any more; connections that are open drain`;
    case 'load-balancer-away':
      return `HAProxy of this node takes no connections until its container is back; those that are open have ${durationText(effect.endedWithinMs)}`;
    case 'redirect-away':
      return `until the monitor is back, for some seconds, new connections to ${effect.vips.join(' and ')} reach this node's own API server alone`;
    case 'keepalived-reload':
      return 'keepalived reads its configuration anew; by itself that moves nothing';
    case 'keepalived-away':
      return 'keepalived of this node takes no part until its container is back';
    case 'health-untold':
      return `nobody says whether this node can serve until the monitor is back; after ${durationText(effect.doubtfulAfterMs)} it counts as doubtful, and the VIP goes to a node that is not`;
    case 'vip-moves':
      return `${effect.vip} moves to another node at once${DEPARTURES[effect.because]}`;
    case 'vip-interrupted':
      return `${effect.vip} is on no node for up to ${durationText(effect.forMs)}: keepalived gives it up and joins anew`;
    case 'vip-leaves':
      return effect.isHeld
        ? `${effect.vip} leaves this node, and whoever is connected to it loses the connection; the others go on hearing this node and may not take it: change the holder last`
        : `${effect.vip} leaves this node; nodes with the old settings still share it`;
    case 'vip-appears':
      return `${effect.vip} comes up, on this node if it is the first that has it`;
    case 'peer-left-out':
      return `${effect.peer} is no peer of this node any more: unless it is gone, or leaves this one out as well, both may have ${effect.vip}`;
    case 'vip-contested':
      return `this node may take ${effect.vip} beside the holder for up to ${durationText(effect.forMs)}: it waits less long than the holder is silent; change the holder first`;
    case 'two-holders':
      return `two nodes have ${effect.vip} until every node has these settings: by another ${effect.because.map((each) => DIFFERENCES[each]).join(' and ')} this one does not hear the others, nor they it${adviceFor(effect.because)}`;
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
  return isAgreed ? '; agree on a time for all of them instead (docs/migration.md)' : '';
}

function listed(label: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${label} ${names.join(', ')}`;
}
