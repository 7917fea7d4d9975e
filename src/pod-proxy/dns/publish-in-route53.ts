import { isDeepStrictEqual } from 'node:util';
import type { Command } from '@aws-sdk/client-route-53';
import * as z from 'zod/mini';
import { messageOf } from '../../engine/system/errors.ts';
import { orAborted } from '../../engine/system/time/or-aborted.ts';
import { failed, type Publish, type Published, REQUEST_MS, TTL_SECONDS } from './target.ts';

/** Sends one request; rejects with its error. */
type Ask = (command: Command, signal: AbortSignal) => Promise<unknown>;

interface Connection {
  readonly sdk: typeof import('@aws-sdk/client-route-53');
  readonly ask: Ask;
}

export interface Route53Settings {
  readonly zone: ZoneSelector;
  /** Route 53 has no region, but each AWS partition has its own endpoint. */
  readonly region: string;
  /** The comment on each change, for people who inspect it. */
  readonly comment: string;
  /** How long the list of zones is cached. */
  readonly zonesKeptMs: number;
  readonly nowMs: () => number;
}

/** Each page has 100 zones. */
const MAX_PAGES = 100;
const ATTEMPTS = 4;

const zonesPage = z.object({
  HostedZones: z.array(
    z.object({
      Id: z.string(),
      Name: z.string(),
      Config: z.optional(z.object({ PrivateZone: z.optional(z.boolean()) })),
    }),
  ),
  IsTruncated: z.boolean(),
  NextMarker: z.optional(z.string()),
});

/**
 * Publishes in Route 53, with the credentials that the SDK finds (environment, web identity, container, instance). Reads the records before
 * each write. Does not change a record that contains more than addresses. The failure of one name does not block the others.
 */
export function publishInRoute53(settings: Route53Settings): Publish {
  const { nowMs, zonesKeptMs } = settings;
  let connection: Promise<Connection> | undefined;
  let cached: { readonly zones: readonly Zone[]; readonly untilMs: number } | undefined;
  return async ({ names, addresses }, signal) => {
    try {
      connection ??= connect(settings);
      const connected = await connection;
      if (cached === undefined || nowMs() >= cached.untilMs)
        cached = { zones: await listZones(connected, signal), untilMs: nowMs() + zonesKeptMs };
      const outcomes: Published[] = [];
      for (const name of names) {
        const choice = zoneOf(name, cached.zones, settings.zone);
        const record = { name, addresses, comment: settings.comment };
        const isFound = choice.kind === 'zone';
        outcomes.push(
          isFound ? await publishOne(connected, record, choice.zone, signal) : failed(choice.message),
        );
      }
      const problems = outcomes.flatMap((outcome) => outcome.problems);
      // Reads the zones again next time: one may be missing, or may have been recreated with another id.
      if (problems.length > 0) cached = undefined;
      return { written: outcomes.flatMap(({ written }) => written), problems };
    } catch (error) {
      return failed(`Cannot list the zones of Route 53: ${errorText(error)}`);
    }
  };
}

/** The SDK takes 28 MB of memory: it is loaded on first use. */
async function connect({ region }: Route53Settings): Promise<Connection> {
  try {
    const sdk = await import('@aws-sdk/client-route-53');
    const requestHandler = {
      connectionTimeout: 3_000,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    };
    const client = new sdk.Route53Client({ region, maxAttempts: ATTEMPTS, requestHandler });
    // The SDK's search for credentials ignores the signal.
    return {
      sdk,
      ask: (command, signal) => orAborted(client.send(command, { abortSignal: signal }), signal),
    };
  } catch (cause) {
    throw new Error(`the SDK cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

async function listZones({ sdk, ask }: Connection, signal: AbortSignal): Promise<readonly Zone[]> {
  const zones: Zone[] = [];
  let marker: string | undefined;
  for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
    const command = new sdk.ListHostedZonesCommand(marker === undefined ? {} : { Marker: marker });
    const { data } = zonesPage.safeParse(await ask(command, signal));
    if (data === undefined) throw new Error('the answer is not a list of zones');
    zones.push(...data.HostedZones.map(({ Id, Name, Config }) => zoneFrom(Id, Name, Config?.PrivateZone)));
    if (!data.IsTruncated) return zones;
    marker = data.NextMarker;
    if (marker === undefined) throw new Error('the list is truncated and has no marker to continue from');
  }
  throw new Error(`the list does not end: more than ${MAX_PAGES} pages`);
}

function zoneFrom(id: string, name: string, isPrivate = false): Zone {
  const canonical = name.toLowerCase().replace(/\.$/, '');
  return { id: id.replace('/hostedzone/', ''), name: canonical, isPrivate };
}

interface DesiredRecord {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly comment: string;
}

async function publishOne(
  { sdk, ask }: Connection,
  { name, addresses, comment }: DesiredRecord,
  zone: Zone,
  signal: AbortSignal,
): Promise<Published> {
  const where = `the A record "${name}" in zone ${zone.name} (${zone.id})`;
  const [HostedZoneId, Name, Type] = [zone.id, `${name}.`, 'A'] as const;
  try {
    const query = { HostedZoneId, StartRecordName: Name, StartRecordType: Type, MaxItems: 1 };
    const list = new sdk.ListResourceRecordSetsCommand(query);
    const { data } = recordSets.safeParse(await ask(list, signal));
    if (data === undefined) return failed(`Cannot read ${where}: the answer is not a list of records`);
    const verdict = verdictOn(data, name, addresses);
    if (verdict.kind === 'foreign')
      return failed(`Cannot write ${where}: it is ${verdict.what}, expected addresses or no record`);
    if (verdict.kind === 'right') return failed();
    const ResourceRecords = addresses.map((Value) => ({ Value }));
    const ResourceRecordSet = { Name, Type, TTL: TTL_SECONDS, ResourceRecords };
    const ChangeBatch = { Comment: comment, Changes: [{ Action: 'UPSERT' as const, ResourceRecordSet }] };
    const change = new sdk.ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch });
    await ask(change, signal);
    return { written: [name], problems: [] };
  } catch (error) {
    return failed(`Cannot write ${where}: ${errorText(error)}`);
  }
}

/** A refused change has its own document format, which the SDK (3.1169) reports as an unknown error. */
const refusedChange = z.object({
  Messages: z.object({ Message: z.union([z.string(), z.array(z.string())]) }),
});

/** The error's text: `AccessDenied: User … is not authorized …`. */
function errorText(error: unknown): string {
  const { data } = refusedChange.safeParse(error);
  if (data !== undefined) return `InvalidChangeBatch: ${[data.Messages.Message].flat().join('; ')}`;
  const message = messageOf(error);
  return error instanceof Error && error.name !== 'Error' ? `${error.name}: ${message}` : message;
}

/** The answer of ListResourceRecordSets, as far as it concerns one A record. */
const recordSets = z.object({
  ResourceRecordSets: z.array(
    z.object({
      Name: z.string(),
      Type: z.string(),
      TTL: z.optional(z.number()),
      SetIdentifier: z.optional(z.string()),
      AliasTarget: z.optional(z.object({ DNSName: z.optional(z.string()) })),
      ResourceRecords: z.optional(z.array(z.object({ Value: z.string() }))),
    }),
  ),
});

type Verdict =
  | { readonly kind: 'right' | 'different' }
  /** The record contains more than addresses, which a write would remove. */
  | { readonly kind: 'foreign'; readonly what: string };

/** Compares the existing record with the desired addresses, in any order. Ignores records with another name or type. */
export function verdictOn(
  { ResourceRecordSets }: z.infer<typeof recordSets>,
  name: string,
  addresses: readonly string[],
): Verdict {
  const found = ResourceRecordSets.find(
    ({ Name, Type }) => Type === 'A' && Name.toLowerCase().replace(/\.$/, '') === name,
  );
  if (found === undefined) return { kind: 'different' };
  if (found.AliasTarget !== undefined)
    return { kind: 'foreign', what: `an alias of ${found.AliasTarget.DNSName}` };
  if (found.SetIdentifier !== undefined)
    return { kind: 'foreign', what: `one of a routing policy ("${found.SetIdentifier}")` };
  const values = (found.ResourceRecords ?? []).map(({ Value }) => Value).toSorted();
  const isRight = found.TTL === TTL_SECONDS && isDeepStrictEqual(values, addresses.toSorted());
  return { kind: isRight ? 'right' : 'different' };
}

/** A hosted zone of Route 53. */
export interface Zone {
  readonly id: string;
  /** The domain, without the trailing dot. */
  readonly name: string;
  readonly isPrivate: boolean;
}

/** `public`, `private`, or the id of a zone. */
type ZoneSelector = string;

type ZoneChoice =
  | { readonly kind: 'zone'; readonly zone: Zone }
  | { readonly kind: 'none'; readonly message: string };

/**
 * Chooses the zone for the record `name`: among the selected zones that contain the name, the one with the longest name. Refuses if several zones have
 * that name, since it is unknown which one resolvers use.
 */
export function zoneOf(name: string, zones: readonly Zone[], selector: ZoneSelector): ZoneChoice {
  const containing = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
  const fitting = containing.filter((zone) => isSelected(zone, selector));
  const longest = Math.max(...fitting.map((zone) => zone.name.length));
  const [zone, another] = fitting.filter((each) => each.name.length === longest);
  if (zone === undefined) return none(name, `there is no ${kindOf(selector)} for it${insteadOf(containing)}`);
  if (another === undefined) return { kind: 'zone', zone };
  const ids = fitting.flatMap((each) => (each.name === zone.name ? each.id : [])).toSorted();
  return none(name, `${ids.length} zones have the name ${zone.name} (${ids.join(', ')})`);
}

function isSelected({ id, isPrivate }: Zone, selector: ZoneSelector): boolean {
  if (selector === 'public') return !isPrivate;
  return selector === 'private' ? isPrivate : id === selector;
}

function kindOf(selector: ZoneSelector): string {
  return selector === 'public' || selector === 'private' ? `${selector} zone` : `zone ${selector}`;
}

function insteadOf(others: readonly Zone[]): string {
  const found = others.map((zone) => `${zone.isPrivate ? 'private' : 'public'} ${zone.name} (${zone.id})`);
  return found.length === 0 ? '' : `, but ${found.join(', ')}`;
}

function none(name: string, found: string): ZoneChoice {
  return {
    kind: 'none',
    message: `Cannot find the zone of "${name}": ${found}, expected one; --dns-zone chooses among several`,
  };
}
