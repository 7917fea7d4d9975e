import { expect, test } from 'vitest';
import { recordNamesOf } from '../../../../src/pod-proxy/dns/record-names.ts';

const namesOf = (text: string) => recordNamesOf({ 'haproxy.unity3d.com/route53': text });

test('names are separated by commas, and each is published once', () => {
  expect(namesOf('foo.bar.com,baz.bar.com')).toEqual({ names: ['foo.bar.com', 'baz.bar.com'], problems: [] });
  expect(namesOf(' Foo.bar.com. ,\n foo.bar.com,, ').names).toEqual(['foo.bar.com']);
});

test("hawser's annotation takes precedence over the older proxy's", () => {
  const annotations = { 'haproxy.unity3d.com/route53': 'old.bar.com', 'hawser.dev/route53': 'new.bar.com' };
  expect(recordNamesOf(annotations).names).toEqual(['new.bar.com']);
});

test('a missing or empty annotation requests nothing', () => {
  for (const annotations of [{}, { 'hawser.dev/route53': ' ' }])
    expect(recordNamesOf(annotations)).toEqual({ names: [], problems: [] });
});

test('an invalid name is reported, and does not block the others', () => {
  const wrong = ['com', '*.bar.com', 'a_b.bar.com', '-a.bar.com', 'a..bar.com', 'a b.bar.com', '"a.bar.com"'];
  const { names, problems } = namesOf([...wrong, `${'a'.repeat(64)}.bar.com`, 'right.bar.com'].join(','));
  expect(names).toEqual(['right.bar.com']);
  expect(problems).toHaveLength(wrong.length + 1);
  expect(problems[1]).toBe(
    'Cannot publish the name "*.bar.com": expected a host name such as www.example.com',
  );
});

test('of more than twenty names, the first twenty are published', () => {
  const { names, problems } = namesOf(Array.from({ length: 21 }, (_, index) => `n${index}.bar.com`).join());
  expect([names.length, names.at(-1)]).toEqual([20, 'n19.bar.com']);
  expect(problems).toEqual(['Cannot publish 21 names: expected at most 20']);
});
