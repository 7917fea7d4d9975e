import { expect, test } from 'vitest';
import { verdictOn } from '../../../../src/pod-proxy/dns/route53-record.ts';

const record = (more: object = {}) => ({
  ...{ Name: 'www.example.com.', Type: 'A', TTL: 60 },
  ResourceRecords: [{ Value: '192.0.2.2' }, { Value: '192.0.2.10' }],
  ...more,
});
const verdict = (...ResourceRecordSets: readonly ReturnType<typeof record>[]) =>
  verdictOn({ ResourceRecordSets: [...ResourceRecordSets] }, 'www.example.com', ['192.0.2.10', '192.0.2.2']);

test('the same addresses in another order are right', () => {
  expect(verdict(record())).toEqual({ kind: 'right' });
  expect(verdict(record({ Name: 'WWW.example.com' }))).toEqual({ kind: 'right' });
});

test('another TTL, other addresses and no record at all are different', () => {
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
