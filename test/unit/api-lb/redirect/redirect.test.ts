import { expect, it } from 'vitest';
import { redirectProblems } from '../../../../src/api-lb/redirect/redirect.ts';

const redirect = { vips: ['10.0.0.100', 'fd00::100'], apiPort: 6443, lbPort: 9445 };

it('accepts a redirect of both families', () => {
  expect(redirectProblems(redirect)).toEqual([]);
});

it.each(['', 'api.example.org', '10.0.0.1 . 6443', '10.0.0.1\n', 'fd00::1 }', '10.0.0.0/24'])(
  'refuses %j, an invalid address',
  (vip) => {
    expect(redirectProblems({ ...redirect, vips: [vip] })).toEqual([
      `Cannot redirect VIP "${vip}": it is not an address, expected IPv4 or IPv6`,
    ]);
  },
);

it('reports every invalid port, and a port that is redirected to itself', () => {
  expect(redirectProblems({ ...redirect, apiPort: 0, lbPort: 1.5 })).toHaveLength(2);
  expect(redirectProblems({ ...redirect, lbPort: 6443 })).toHaveLength(1);
});
