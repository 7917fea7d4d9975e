import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { limitGroups, MAX_ADDRESSES, MAX_GROUP_ADDRESSES } from '../../../src/pod-proxy/group-limit.ts';
import { type Downstream, hostsOf } from '../../../src/pod-proxy/hosts.ts';
import { renderJinja } from '../../../src/pod-proxy/template/jinja.ts';

const group = (name: string, size: number): readonly Downstream[] =>
  Array.from({ length: size }, (_, index) => ({
    ...{ group: name, name: `${name}-${index}` },
    address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  }));

const sizes = (...groups: readonly (readonly Downstream[])[]) => {
  const { downstreams, problem } = limitGroups(groups.flat());
  const counts = Map.groupBy(downstreams, (each) => each.group);
  return { sizes: Object.fromEntries([...counts].map(([name, all]) => [name, all.length])), problem };
};

test('groups within the limits keep every address, and nothing is reported', () => {
  const all = [...group('db', 3), ...group('web', MAX_GROUP_ADDRESSES)];
  expect(limitGroups(all)).toEqual({ downstreams: all, problem: undefined });
});

test('13,000 pods of one group leave the others whole, and the template still renders', () => {
  const found = limitGroups([...group('flood', 13_000), ...group('web', 3)]);
  expect(found.problem).toMatchObject({
    reason: 'AddressesLimited',
    message: expect.stringMatching(
      /^Cannot use all addresses of group "flood": .* MAX_GROUP_ADDRESSES \(2000\)/,
    ),
  });
  const manifest = join(import.meta.dirname, '../../../manifests/pod-proxy/deployment.yaml');
  const { annotations } = parse(readFileSync(manifest, 'utf8')).spec.template.metadata;
  const hosts = hostsOf(found.downstreams);
  const outcome = renderJinja({ template: annotations['hawser.dev/config'], model: { hosts, certs: {} } });
  expect(outcome).toMatchObject({
    kind: 'rendered',
    text: expect.stringContaining('server web-3 10.0.0.2:8080'),
  });
});

test('a cut group keeps its first addresses, and its report stays the same as pods come and go', () => {
  const [some, more] = [group('web', 2_500), group('web', 2_600)].map(limitGroups);
  expect(some?.downstreams).toEqual(group('web', MAX_GROUP_ADDRESSES));
  expect(more?.problem).toEqual(some?.problem);
});

test('groups with too many addresses together are cut from the largest, and small ones stay whole', () => {
  const found = sizes(group('a', 1_900), group('b', 1_900), group('c', 1_900), group('small', 20));
  expect(found.sizes).toEqual({ a: 1_660, b: 1_660, c: 1_660, small: 20 });
  expect(found.problem?.message).toContain('MAX_ADDRESSES (5000)');
});

test('more groups than addresses are cut to one address each, up to the limit', () => {
  const found = limitGroups(
    Array.from({ length: MAX_ADDRESSES + 100 }, (_, index) => group(`g${index}`, 2)).flat(),
  );
  expect(found.downstreams).toHaveLength(MAX_ADDRESSES);
  expect(new Set(found.downstreams.map((each) => each.group)).size).toBe(MAX_ADDRESSES);
});
