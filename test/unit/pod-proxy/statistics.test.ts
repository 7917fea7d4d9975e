import { expect, it } from 'vitest';
import { columns } from '../../../src/haproxy/exporter/columns.ts';
import type { Sample } from '../../../src/haproxy/exporter/exporter.ts';
import { byAddressOf, databaseIn, linesOf } from '../../../src/pod-proxy/statistics.ts';

function sample(column: string, type: Sample['row']['type'], key: string): Sample {
  const found = columns.find((each) => each.column === column && each.of.includes(type));
  if (found === undefined) throw new Error(`no column ${column}`);
  return { row: { type, key, values: [] }, column: found, value: 7 };
}

it("lines have Telegraf's names and tags, and the group and the pod", () => {
  const samples = [sample('scur', 'server', 'web web-1'), sample('hrsp_2xx', 'frontend', 'web')];
  const labels = { proxy: 'web', group: 'a b', pod: '' };
  expect(linesOf(samples, () => labels, { host: 'haproxy-1', seconds: 1_700_000_000 })).toEqual([
    'put haproxy_scur 1700000000 7 host=haproxy-1 proxy=web group=a_b type=server',
    'put haproxy_http_response.2xx 1700000000 7 host=haproxy-1 proxy=web group=a_b sv=FRONTEND type=frontend',
  ]);
});

it.each([
  ['kairosdb.example.com', { host: 'kairosdb.example.com', port: 4_242 }],
  ['10.0.0.1:4243', { host: '10.0.0.1', port: 4_243 }],
  ['[fd00::1]:4243', { host: 'fd00::1', port: 4_243 }],
])('the database is %s', (text, target) => {
  expect(databaseIn({ 'kontrol.unity3d.com/opentsdb': text })).toEqual({ kind: 'at', target });
});

it.each(['http://kairosdb', 'kairosdb:0', 'kairosdb:70000', 'a b'])('%s is not a database', (text) => {
  expect(databaseIn({ 'hawser.dev/opentsdb': text })).toMatchObject({
    kind: 'wrong',
    message: expect.stringContaining(`"${text}"`),
  });
});

it('an address in several groups has no group, and its pod', () => {
  const at = (group: string, address: string) => ({ group, name: 'web-0', address });
  const all = [
    at('a', '10.0.0.1'),
    at('b', '10.0.0.1'),
    at('c', '10.0.0.1'),
    at('a', '10.0.0.2'),
    at('a', '10.0.0.2'),
  ];
  expect([...byAddressOf(all).values()]).toEqual([
    { group: '', name: 'web-0', address: '10.0.0.1' },
    { group: 'a', name: 'web-0', address: '10.0.0.2' },
  ]);
});

it('without the annotation there is no database', () => {
  expect(databaseIn({})).toEqual({ kind: 'none' });
});
