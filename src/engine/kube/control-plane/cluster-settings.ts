import type { ParsedItem } from '../kube-objects.ts';
import type { ListWatchSettings } from '../list-watch-source.ts';
import type { AddressPreference } from './choose-address.ts';
import type { ServerChoice } from './choose-servers.ts';

export interface ClusterSettings extends ListWatchSettings {
  readonly vips: readonly string[];
  /** CIDRs of this machine's interfaces, read each time: at boot an interface may come up later. */
  readonly subnets: () => readonly string[];
}

export function preferenceOf(settings: ClusterSettings): AddressPreference {
  return { vips: settings.vips, subnets: settings.subnets() };
}

/** A choice, with the items that could not be parsed. */
export function withUnparsed(choice: ServerChoice, items: readonly ParsedItem[]): ServerChoice {
  return { ...choice, skipped: [...choice.skipped, ...items.flatMap((item) => item.skipped)] };
}
