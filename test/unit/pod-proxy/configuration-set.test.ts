import { expect, it } from 'vitest';
import { mustBeSet, othersOf } from '../../../src/engine/config/set.ts';
import { modelOf, renderedSet } from '../../../src/pod-proxy/configuration-set.ts';

it('a Secret may have a name that is too long for a file name with .pem', () => {
  const first = `a${'x'.repeat(252)}`;
  const second = `b${'x'.repeat(252)}`;
  const input = { downstreams: [], certificates: { [first]: 'one', [second]: 'two', web: 'three' } };
  const { certs } = modelOf(input);
  const set = renderedSet(Object.values(certs).join(' '), input, { statsSocket: '/run/stats.sock' });
  mustBeSet(set);
  const files = othersOf(set).map(({ name }) => name);
  expect(new Set(files).size).toBe(3);
  expect(files).toContain('certs/web.pem');
  for (const name of files) {
    expect(name.replace('certs/', '').length).toBeLessThan(200);
    expect(set.text).toContain(`/${name}`);
  }
});
