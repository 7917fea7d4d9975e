/** A hosted zone of Route 53. */
export interface Zone {
  readonly id: string;
  /** Without the dot at its end. */
  readonly name: string;
  readonly isPrivate: boolean;
}

/** `public`, `private`, or the id of one zone. */
export type WantedZone = string;

type ZoneChoice =
  | { readonly kind: 'zone'; readonly zone: Zone }
  | { readonly kind: 'none'; readonly message: string };

/**
 * The zone for the record of `name`: of the requested zones that contain the name, the one with the longest name. Several of that name give no
 * zone, since it is unknown which one resolvers use.
 */
export function zoneOf(name: string, zones: readonly Zone[], wanted: WantedZone): ZoneChoice {
  const around = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
  const fitting = around.filter((zone) => isWanted(zone, wanted));
  const longest = Math.max(...fitting.map((zone) => zone.name.length));
  const [zone, another] = fitting.filter((each) => each.name.length === longest);
  if (zone === undefined) return none(name, `there is no ${kindOf(wanted)} for it${insteadOf(around)}`);
  if (another === undefined) return { kind: 'zone', zone };
  const ids = fitting.flatMap((each) => (each.name === zone.name ? each.id : [])).toSorted();
  return none(name, `${ids.length} zones have the name ${zone.name} (${ids.join(', ')})`);
}

function isWanted({ id, isPrivate }: Zone, wanted: WantedZone): boolean {
  if (wanted === 'public') return !isPrivate;
  return wanted === 'private' ? isPrivate : id === wanted;
}

function kindOf(wanted: WantedZone): string {
  return wanted === 'public' || wanted === 'private' ? `${wanted} zone` : `zone ${wanted}`;
}

function insteadOf(others: readonly Zone[]): string {
  const words = others.map((zone) => `${zone.isPrivate ? 'private' : 'public'} ${zone.name} (${zone.id})`);
  return words.length === 0 ? '' : `, but ${words.join(', ')}`;
}

function none(name: string, found: string): ZoneChoice {
  return {
    kind: 'none',
    message: `Cannot find the zone of "${name}": ${found}, expected one; --dns-zone chooses among several`,
  };
}
