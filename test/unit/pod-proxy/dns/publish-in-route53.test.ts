import { expect, test } from 'vitest';
import { verdictOn, type Zone, zoneOf } from '../../../../src/pod-proxy/dns/publish-in-route53.ts';

const record = (more: object = {}) => ({
  Name: 'www.example.com.',
  Type: 'A',
  TTL: 60,
  ResourceRecords: [{ Value: '192.0.2.2' }, { Value: '192.0.2.10' }],
  ...more,
});
const verdict = (...ResourceRecordSets: readonly ReturnType<typeof record>[]) =>
  verdictOn({ ResourceRecordSets: [...ResourceRecordSets] }, 'www.example.com', ['192.0.2.10', '192.0.2.2']);

test('the same addresses in another order are correct', () => {
  expect(verdict(record())).toEqual({ kind: 'right' });
  expect(verdict(record({ Name: 'WWW.example.com' }))).toEqual({ kind: 'right' });
});

test('another TTL, other addresses and a missing record are different', () => {
  const different = { kind: 'different' };
  expect(verdict()).toEqual(different);
  expect(verdict(record({ TTL: 300 }))).toEqual(different);
  expect(verdict(record({ ResourceRecords: [{ Value: '192.0.2.2' }] }))).toEqual(different);
  expect(verdict(record({ ResourceRecords: undefined }))).toEqual(different);
});

test('records of another name or type are ignored', () => {
  const others = [record({ Name: 'x.example.com.' }), record({ Type: 'AAAA' })];
  expect(verdict(...others)).toEqual({ kind: 'different' });
});

test('an alias and a record of a routing policy are not overwritten', () => {
  const alias = record({
    TTL: undefined,
    ResourceRecords: undefined,
    AliasTarget: { DNSName: 'lb.example.net.' },
  });
  expect(verdict(alias)).toEqual({ kind: 'foreign', what: 'an alias of lb.example.net.' });
  expect(verdict(record({ SetIdentifier: 'eu' }))).toEqual({
    kind: 'foreign',
    what: 'one of a routing policy ("eu")',
  });
});

const zone = (id: string, name: string, isPrivate = false): Zone => ({ id, name, isPrivate });

const zones = [
  zone('Z1', 'example.com'),
  zone('Z2', 'eu.example.com'),
  zone('Z3', 'eu.example.com', true),
  zone('Z4', 'ample.com'),
  zone('Z5', 'twice.com'),
  zone('Z6', 'twice.com'),
  zone('Z7', 'inner.com', true),
];

const idOf = (name: string, wanted = 'public') => {
  const choice = zoneOf(name, zones, wanted);
  return choice.kind === 'zone' ? choice.zone.id : choice.message;
};

test('the containing zone with the longest name is chosen', () => {
  expect(idOf('www.example.com')).toBe('Z1');
  expect(idOf('www.eu.example.com')).toBe('Z2');
  expect(idOf('a.b.eu.example.com')).toBe('Z2');
  expect(idOf('example.com')).toBe('Z1');
});

test('a public zone and a private one of the same name are distinguished', () => {
  expect(idOf('www.eu.example.com', 'private')).toBe('Z3');
  expect(idOf('www.example.com', 'private')).toMatch(
    /there is no private zone for it, but public example.com \(Z1\)/,
  );
  expect(idOf('www.inner.com')).toMatch(/no public zone for it, but private inner.com \(Z7\)/);
});

test('a zone that is selected by its id is used only for names in that zone', () => {
  expect(idOf('www.twice.com', 'Z6')).toBe('Z6');
  expect(idOf('www.eu.example.com', 'Z1')).toBe('Z1');
  expect(idOf('www.other.com', 'Z6')).toMatch(/there is no zone Z6 for it/);
});

test('a name without a zone and a name with two zones are errors', () => {
  expect(idOf('www.other.com')).toBe(
    'Cannot find the zone of "www.other.com": there is no public zone for it, expected one; --dns-zone chooses among several',
  );
  expect(idOf('www.sample.com')).toMatch(/there is no public zone for it, expected/);
  expect(idOf('www.twice.com')).toMatch(/2 zones have the name twice.com \(Z5, Z6\)/);
});
