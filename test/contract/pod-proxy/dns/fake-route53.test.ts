import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeRoute53, startFakeRoute53, throttled } from '../../../helpers/route53/fake-route53.ts';

/** The fake answers with the same elements in the same order as Route 53, so that tests against it are meaningful. */
let fake: FakeRoute53;

beforeEach(async () => {
  const records = [
    { name: 'www.bar.example.', type: 'A', ttl: 300, values: ['192.0.2.1'] },
    { name: 'www.bar.example.', type: 'TXT', ttl: 300, values: ['"a"'] },
    { name: 'abc.bar.example.', type: 'A', ttl: 300, values: ['192.0.2.2'] },
  ];
  const zones = [
    { id: 'Z1', name: 'bar.example.', isPrivate: true, records },
    { id: 'Z2', name: 'foo.example.', records: [] },
  ];
  fake = await startFakeRoute53(zones, { pageSize: 1 });
});

afterEach(async () => {
  await fake[Symbol.asyncDispose]();
});

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIDFAKE/20260101/us-east-1/route53/aws4_request, Signature=0';

async function ask(path: string, body?: string): Promise<{ readonly status: number; readonly text: string }> {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await fetch(`${fake.url}/2013-04-01/${path}`, {
    method,
    headers: { authorization },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../fixtures/route53', `${name}.xml`), 'utf8');
}

/** The elements of a document without their content: `<A><B></B></A>`. */
function shapeOf(xml: string): string {
  return [...xml.matchAll(/<[^?][^>]*>/g)].join('');
}

function changeOf(name: string): string {
  return `<ChangeResourceRecordSetsRequest><ChangeBatch><Changes><Change><Action>UPSERT</Action><ResourceRecordSet><Name>${name}</Name><Type>A</Type><TTL>60</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.9</Value></ResourceRecord></ResourceRecords></ResourceRecordSet></Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
}

test('lists of zones and of records have the shape of the real ones, page by page', async () => {
  const zones = await ask('hostedzone');
  expect([zones.status, shapeOf(zones.text)]).toEqual([200, shapeOf(recorded('zones'))]);
  expect(zones.text).toContain('<NextMarker>Z2</NextMarker>');
  expect((await ask('hostedzone?marker=Z2')).text).toContain('<IsTruncated>false</IsTruncated>');
  const records = await ask('hostedzone/Z1/rrset?name=www.bar.example.&type=A&maxitems=1');
  expect([records.status, shapeOf(records.text)]).toEqual([200, shapeOf(recorded('records'))]);
});

test('records are listed in the order of their reversed names, starting at the requested name', async () => {
  const names = async (query: string) =>
    [...(await ask(`hostedzone/Z1/rrset?${query}`)).text.matchAll(/<Name>([^<]*)/g)].map(([, name]) => name);
  expect(await names('name=b.bar.example.&type=A')).toEqual(['www.bar.example.', 'www.bar.example.']);
  expect(await names('name=z.bar.example.&type=A')).toEqual([]);
});

test('a change has the shape of a real one and appears in the next list', async () => {
  const changed = await ask('hostedzone/Z1/rrset', changeOf('www.bar.example.'));
  expect([changed.status, shapeOf(changed.text)]).toEqual([200, shapeOf(recorded('change'))]);
  const { text } = await ask('hostedzone/Z1/rrset?name=www.bar.example.&type=A&maxitems=1');
  expect(text).toContain('<TTL>60</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.9</Value>');
});

test("the fake refuses with Route 53's messages: another zone, no zone, too many requests, no signature", async () => {
  const outside = await ask('hostedzone/Z2/rrset', changeOf('www.bar.example.'));
  expect([outside.status, shapeOf(outside.text)]).toEqual([400, shapeOf(recorded('refused-change'))]);
  expect((await ask('hostedzone/Z9/rrset?name=a.&type=A')).text).toContain('NoSuchHostedZone');
  fake.trouble(throttled);
  const late = await ask('hostedzone');
  expect([late.status, shapeOf(late.text)]).toEqual([400, shapeOf(recorded('error'))]);
  expect((await fetch(`${fake.url}/2013-04-01/hostedzone`)).status).toBe(403);
});
