import { expect, it } from 'vitest';
import { additions } from '../../../src/pod-proxy/difference.ts';

const configuration = (...addresses: readonly string[]) =>
  `backend web\n${addresses.map((each, index) => `  server web-${index + 1} ${each}:80 check\n`).join('')}`;

it('HAProxy is told of a server that comes', () => {
  expect(additions(configuration('10.0.0.1'), configuration('10.0.0.1', '10.0.0.2'))).toMatchObject({
    kind: 'runtime',
    changes: [{ server: 'web/web-2', wanted: { address: '10.0.0.2' } }],
  });
});

it.each([
  ['goes', ['10.0.0.1']],
  ['moves', ['10.0.0.1', '10.0.0.3']],
  ['moves while another one comes', ['10.0.0.3', '10.0.0.2', '10.0.0.1']],
])('HAProxy reloads for a server that %s, so that its connections may finish', (_what, addresses) => {
  expect(additions(configuration('10.0.0.1', '10.0.0.2'), configuration(...addresses))).toMatchObject({
    kind: 'reload',
  });
});
