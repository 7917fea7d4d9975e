import { expect, test } from 'vitest';
import type { Rendered, SetFile } from '../../../../src/engine/config/set.ts';
import { compareSets } from '../../../../src/router/serve/set-difference.ts';

const rendered = (server: string, ...others: readonly SetFile[]): Rendered => ({
  text: `global\nbackend be_http:shop:web\n  balance random\n  server pod:1 ${server} weight 1\n`,
  mode: 0o644,
  others,
});
const map = (content: string): SetFile => ({ name: 'maps/http.exact.map', content });
const list = (content: string): SetFile => ({ name: 'cert_config.map', content });
const pem = (content: string, name = 'certs/shop_web.pem'): SetFile => ({ name, content, secret: true });
const allowlist: SetFile = { name: 'allowlists/shop_web.txt', content: '10.0.0.0/8\n' };
const hash = compareSets({ lookup: 'hash' }, 2_000);
const one = rendered('10.0.0.1:8080', map('a.test b\n'), pem('1'), list('certs/shop_web.pem a.test\n'));

test.each<readonly [string, Rendered, readonly string[]]>([
  ['nothing', { ...one }, []],
  ['an endpoint', { ...one, text: one.text.replace('10.0.0.1', '10.0.0.2') }, ['server']],
  [
    'a line of a map',
    rendered('10.0.0.1:8080', map('a.test c\n'), ...(one.others ?? []).slice(1)),
    ['map-line'],
  ],
  [
    'a renewed certificate',
    rendered('10.0.0.1:8080', map('a.test b\n'), pem('2'), list('certs/shop_web.pem a.test\n')),
    ['certificate'],
  ],
  [
    'a certificate that goes',
    rendered('10.0.0.1:8080', map('a.test b\n'), list('')),
    ['list-line', 'certificate'],
  ],
])('%s is a runtime update', (_, after, kinds) => {
  const found = hash(one, after);
  expect(found.changes.map(({ kind }) => kind)).toEqual(kinds);
  expect(found).toMatchObject({ reload: [], running: after });
});

test.each<readonly [string, Rendered, Rendered]>([
  ['a directive', one, { ...one, text: one.text.replace('random', 'source') }],
  ['a list of addresses', one, rendered('10.0.0.1:8080', ...(one.others ?? []), allowlist)],
  ['a configuration of which the files are not known', { text: one.text, mode: 0o644 }, one],
])('%s needs a reload', (_, before, after) => {
  expect(hash(before, after).reload).not.toEqual([]);
});

test('a line in a map of regular expressions needs a reload', () => {
  const after = rendered('10.0.0.1:8080', map('a.test c\n'), ...(one.others ?? []).slice(1));
  expect(compareSets({ lookup: 'regex' })(one, after)).toMatchObject({
    changes: [],
    reload: [{ what: 'files-changed' }],
  });
});

test('one moved server of a namespace does not wait for a thousand of another', () => {
  const backend = (namespace: string, count: number, net: number): string =>
    `backend be_http:${namespace}:web\n${Array.from(
      { length: count },
      (_, index) => `  server pod:${index} 10.${net}.${index >> 8}.${index & 255}:8080 weight 1\n`,
    ).join('')}`;
  const set = (net: number): Rendered => ({
    text: `global\n${backend('evil', 1_000, net)}${backend('shop', 1, net)}`,
    mode: 0o644,
    others: [],
  });
  const found = hash(set(1), set(2));
  const servers = found.changes.flatMap((each) => ('server' in each ? each.server : []));
  expect(servers).toHaveLength(1_001);
  expect(servers.indexOf('be_http:shop:web/pod:0')).toBeLessThan(2);
});
