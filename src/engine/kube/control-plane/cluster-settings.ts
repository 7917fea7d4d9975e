import type { AddressPreference } from './choose-address.ts';
import type { ServerChoice } from './choose-servers.ts';
import type { ServerFinding } from './server-objects.ts';
import type { ServerSourceSettings } from './server-source.ts';

export interface ClusterSettings extends ServerSourceSettings {
  readonly vips: readonly string[];
  /** CIDRs of this machine's interfaces, read each time: at boot an interface may come up later. */
  readonly subnets: () => readonly string[];
}

export function preferenceOf(settings: ClusterSettings): AddressPreference {
  return { vips: settings.vips, subnets: settings.subnets() };
}

/** A choice, with the objects that could not be parsed. */
export function withUnparsed(choice: ServerChoice, findings: readonly ServerFinding[]): ServerChoice {
  return { ...choice, skipped: [...choice.skipped, ...findings.flatMap((finding) => finding.skipped)] };
}
