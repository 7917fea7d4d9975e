import { expect, test } from 'vitest';
import type { Rendered } from '../../../../src/engine/apply/file-set.ts';
import { needsReload, outlineOf } from '../../../../src/haproxy/runtime/needs-reload.ts';

const rendered = (server: string, map = 'a b\n'): Rendered => ({
  text: `backend be_http:shop:web\n  balance random\n  server pod:1 ${server} weight 1\n`,
  mode: 0o644,
  others: [{ name: 'maps/http.exact.map', content: map }],
});

test('only what HAProxy cannot be told while it runs is a reload', () => {
  const served = outlineOf(rendered('10.0.0.1:8080'));
  expect(needsReload(served, rendered('10.0.0.2:8080'))).toBe(false);
  expect(needsReload(served, rendered('10.0.0.1:8080', 'a c\n'))).toBe(true);
  const other = rendered('10.0.0.1:8080');
  expect(needsReload(served, { ...other, text: other.text.replace('random', 'source') })).toBe(true);
  expect(needsReload(undefined, other)).toBe(true);
});
