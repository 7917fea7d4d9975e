import { afterEach, beforeEach, expect, test } from 'vitest';
import { publishInRoute53 } from '../../../../src/pod-proxy/dns/publish-in-route53.ts';
import type { Published } from '../../../../src/pod-proxy/dns/target.ts';
import { useFakeRoute53 } from '../../../helpers/route53/environment.ts';
import {
  type FakeRoute53,
  type FakeZone,
  startFakeRoute53,
  throttled,
} from '../../../helpers/route53/fake-route53.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** Check 9 of ads-infra-haproxy's behaviour, and Route 53's failures, throttling and invalid answers. */
let fake: FakeRoute53;
let environment: Disposable;
let zones: FakeZone[];

beforeEach(async () => {
  zones = [
    { id: 'Z0', name: 'aaa.com.', records: [] },
    { id: 'Z1', name: 'bar.com.', records: [] },
    { id: 'Z2', name: 'bar.com.', isPrivate: true, records: [] },
    { id: 'Z3', name: 'eu.bar.com.', records: [] },
  ];
  fake = await startFakeRoute53(zones, { pageSize: 2 });
  environment = useFakeRoute53(fake.url);
});

afterEach(async () => {
  environment[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
});

const addresses = ['192.0.2.1', '192.0.2.2'];
const broken = { kind: 'error', status: 503, code: 'ServiceUnavailable', message: 'later' } as const;

function publisher(zone = 'public') {
  const settings = { zone, region: 'us-east-1', comment: 'hawser default/haproxy-1', zonesKeptMs: 60_000 };
  const publish = publishInRoute53({ ...settings, nowMs: () => 0 });
  return async (names: readonly string[], signal = AbortSignal.timeout(60_000)): Promise<Published> =>
    await publish({ names, addresses, controller: undefined }, signal);
}

const posts = () => fake.requests.filter((each) => each.startsWith('POST'));
const recordOf = (zone: string, name: string) =>
  zones.find(({ id }) => id === zone)?.records.find((record) => record.name === name);

test('check 9: each name gets one A record with all addresses and a TTL of 60 s, in the zone of its name', async () => {
  const outcome = await publisher()(['foo.bar.com', 'www.eu.bar.com']);
  expect(outcome).toEqual({ written: ['foo.bar.com', 'www.eu.bar.com'], problems: [] });
  const record = (name: string) => ({ name, type: 'A', ttl: 60, values: addresses });
  expect(fake.changes).toEqual([
    { zone: 'Z1', comment: 'hawser default/haproxy-1', record: record('foo.bar.com.') },
    { zone: 'Z3', comment: 'hawser default/haproxy-1', record: record('www.eu.bar.com.') },
  ]);
});

test('a correct record is not written again, whatever the order of its addresses', async () => {
  const record = { name: 'foo.bar.com.', type: 'A', ttl: 60, values: addresses.toReversed() };
  zones[1]?.records.push(record);
  const publish = publisher();
  expect(await publish(['foo.bar.com'])).toEqual({ written: [], problems: [] });
  expect(await publish(['foo.bar.com'])).toEqual({ written: [], problems: [] });
  expect(posts()).toEqual([]);
  expect(
    fake.requests.filter((each) => each.includes('/hostedzone?') || each.endsWith('/hostedzone')),
  ).toHaveLength(2);
});

test('a record that another client changed is repaired', async () => {
  const publish = publisher();
  await publish(['foo.bar.com']);
  zones[1]?.records.splice(0, 1, { name: 'foo.bar.com.', type: 'A', ttl: 300, values: ['198.51.100.1'] });
  expect((await publish(['foo.bar.com'])).written).toEqual(['foo.bar.com']);
  expect(recordOf('Z1', 'foo.bar.com.')).toMatchObject({ ttl: 60, values: addresses });
});

test('check 9: a name without a zone of the selected kind is an error, and nothing is written for it', async () => {
  const { written, problems } = await publisher()(['foo.other.com', 'bar.com.example', 'foo.bar.com']);
  expect(written).toEqual(['foo.bar.com']);
  expect(problems).toEqual([
    expect.stringContaining('Cannot find the zone of "foo.other.com": there is no public zone for it'),
    expect.stringContaining('Cannot find the zone of "bar.com.example"'),
  ]);
});

test("a name's private zone is written on request", async () => {
  expect((await publisher('private')(['foo.bar.com'])).problems).toEqual([]);
  expect((await publisher('Z1')(['foo.bar.com'])).problems).toEqual([]);
  expect(fake.changes.map(({ zone }) => zone)).toEqual(['Z2', 'Z1']);
});

test('an alias, a routing policy and a CNAME are not changed, and the other names are written', async () => {
  zones[1]?.records.push(
    { name: 'a.bar.com.', type: 'A', alias: 'lb.example.net.' },
    { name: 'b.bar.com.', type: 'A', ttl: 60, values: ['198.51.100.1'], setIdentifier: 'eu' },
    { name: 'c.bar.com.', type: 'CNAME', ttl: 60, values: ['d.bar.com.'] },
  );
  const { written, problems } = await publisher()(['a.bar.com', 'b.bar.com', 'c.bar.com', 'd.bar.com']);
  expect(written).toEqual(['d.bar.com']);
  expect(problems).toEqual([
    expect.stringContaining('"a.bar.com" in zone bar.com (Z1): it is an alias of lb.example.net.'),
    expect.stringContaining('"b.bar.com" in zone bar.com (Z1): it is one of a routing policy ("eu")'),
    expect.stringContaining('conflicts with another record of that name'),
  ]);
});

test('requests that are throttled, cut off or fail are retried', async () => {
  fake.trouble(throttled, broken, { kind: 'reset' });
  expect(await publisher()(['foo.bar.com'])).toEqual({ written: ['foo.bar.com'], problems: [] });
  const prior = {
    kind: 'error',
    status: 400,
    code: 'PriorRequestNotComplete',
    message: 'still at it',
  } as const;
  fake.trouble(prior);
  expect(await publisher()(['bar.bar.com'])).toEqual({ written: ['bar.bar.com'], problems: [] });
});

test("a persistent failure is reported with Route 53's message", async () => {
  const denied = {
    kind: 'error',
    status: 403,
    code: 'AccessDenied',
    message: 'User: x is not authorized',
  } as const;
  fake.trouble(denied);
  expect((await publisher()(['foo.bar.com'])).problems).toEqual([
    'Cannot list the zones of Route 53: AccessDenied: User: x is not authorized',
  ]);
  fake.trouble(...Array.from({ length: 4 }, () => broken));
  expect((await publisher()(['foo.bar.com'])).problems).toEqual([
    'Cannot list the zones of Route 53: ServiceUnavailable: later',
  ]);
  expect(fake.changes).toEqual([]);
});

test('a truncated answer, another document and an endless list are errors, and nothing is written', async () => {
  fake.trouble({ kind: 'half' });
  expect((await publisher()(['foo.bar.com'])).problems).toEqual([
    expect.stringContaining('Cannot list the zones of Route 53: '),
  ]);
  fake.trouble({ kind: 'body', body: '<?xml version="1.0"?><html><body>Sign in</body></html>' });
  expect((await publisher()(['foo.bar.com'])).problems).toEqual([
    'Cannot list the zones of Route 53: the answer is not a list of zones',
  ]);
  const endless = `<?xml version="1.0"?><ListHostedZonesResponse><HostedZones></HostedZones><IsTruncated>true</IsTruncated><NextMarker>Z0</NextMarker><MaxItems>2</MaxItems></ListHostedZonesResponse>`;
  fake.trouble(...Array.from({ length: 101 }, () => ({ kind: 'body', body: endless }) as const));
  expect((await publisher()(['foo.bar.com'])).problems).toEqual([
    'Cannot list the zones of Route 53: the list does not end: more than 100 pages',
  ]);
  expect(posts()).toEqual([]);
});

test('the zones are read again after a zone was deleted', async () => {
  const publish = publisher();
  await publish(['foo.bar.com']);
  zones.splice(1, 1, { id: 'Z9', name: 'bar.com.', records: [] });
  expect((await publish(['foo.bar.com'])).problems).toEqual([expect.stringContaining('NoSuchHostedZone')]);
  expect(await publish(['foo.bar.com'])).toEqual({ written: ['foo.bar.com'], problems: [] });
  expect(fake.changes.at(-1)?.zone).toBe('Z9');
});

test('nothing is written after a stop, even without an answer', async () => {
  const stop = new AbortController();
  fake.trouble({ kind: 'stall' });
  const stopped = publisher()(['foo.bar.com'], stop.signal);
  await waitFor('the request', () => fake.requests.length > 0);
  stop.abort(new Error('another replica may write now'));
  expect((await stopped).problems).toEqual([
    'Cannot list the zones of Route 53: another replica may write now',
  ]);
  expect(posts()).toEqual([]);
});
