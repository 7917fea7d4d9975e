import { describe, expect, test } from 'vitest';
import { backendWith } from '../objects-of.ts';

const annotation = (balance: string) => ({ 'haproxy.router.openshift.io/balance': balance });
const passthrough = { tls: { termination: 'passthrough' } };
const two = { alternateBackends: [{ name: 'beta' }] };

describe('contract 17: balance', () => {
  test.each([
    [{}, {}, 'random'],
    [{}, passthrough, 'source'],
    [{}, two, 'roundrobin'],
    [{}, { alternateBackends: [{ name: 'beta', weight: 0 }] }, 'random'],
    [{}, { ...two, ...passthrough }, 'roundrobin'],
    [annotation('leastconn'), {}, 'leastconn'],
    [annotation('leastconn'), two, 'leastconn'],
    [annotation('source'), passthrough, 'source'],
    [annotation('roundrobin'), {}, 'roundrobin'],
    [annotation('first'), {}, 'random'],
    [annotation('random\n  mode tcp'), {}, 'random'],
  ])('balance annotation %j on route %j renders as "balance %s"', (annotations, spec, balance) => {
    expect(backendWith(annotations, spec).balance).toBe(balance);
  });

  test("is the router's default unless the route sets it", () => {
    expect(backendWith({}, {}, { balance: 'leastconn' }).balance).toBe('leastconn');
    expect(backendWith({}, passthrough, { tcpBalance: 'random' }).balance).toBe('random');
  });

  test('an invalid balance annotation is reported', () => {
    expect(backendWith(annotation('first')).remarks).toEqual([
      'haproxy.router.openshift.io/balance: ignored, expected roundrobin, leastconn, source, random',
    ]);
  });
});
