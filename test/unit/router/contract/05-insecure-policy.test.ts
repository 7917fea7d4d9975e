import { describe, expect, test } from 'vitest';
import type { InsecurePolicy, RouteKind } from '../../../../src/router/model.ts';
import { answerOf } from '../../../../src/router/render/reference-matcher.ts';
import { backendOf } from '../backend-of.ts';

const host = 'app.example.com';

function ask(
  scheme: 'http' | 'https',
  path: string,
  ...routes: readonly Parameters<typeof backendOf>[0][]
): string {
  const answer = answerOf({ backends: routes.map(backendOf) }, { scheme, host, path });
  return answer.kind === 'none' ? 'none' : `${answer.kind} ${answer.backend.key}`;
}

describe('contract 5: one route', () => {
  test.each<[RouteKind, InsecurePolicy, string, string]>([
    ['http', 'None', 'backend a', 'none'],
    ['edge', 'None', 'none', 'backend a'],
    ['edge', 'Allow', 'backend a', 'backend a'],
    ['edge', 'Redirect', 'redirect a', 'backend a'],
    ['reencrypt', 'None', 'none', 'backend a'],
    ['reencrypt', 'Allow', 'backend a', 'backend a'],
    ['reencrypt', 'Redirect', 'redirect a', 'backend a'],
    ['passthrough', 'None', 'none', 'backend a'],
    ['passthrough', 'Redirect', 'redirect a', 'backend a'],
  ])('%s with policy %s answers http with %s, https with %s', (kind, insecure, http, https) => {
    expect(ask('http', '/', { key: 'a', kind, insecure })).toBe(http);
    expect(ask('https', '/', { key: 'a', kind, insecure })).toBe(https);
  });
});

describe('contract 5: requests that a route does not accept go to the next one', () => {
  test('an edge route without a policy leaves plain requests to the shorter path', () => {
    const routes = [
      { key: 'deep', kind: 'edge', path: '/deep' },
      { key: 'root', kind: 'http' },
    ] as const;
    expect(ask('http', '/deep/x', ...routes)).toBe('backend root');
    expect(ask('https', '/deep/x', ...routes)).toBe('backend deep');
    expect(ask('https', '/other', ...routes)).toBe('none');
  });

  test('only the most specific route redirects', () => {
    const routes = [
      { key: 'deep', kind: 'http', path: '/deep' },
      { key: 'root', kind: 'edge', insecure: 'Redirect' },
    ] as const;
    expect(ask('http', '/deep', ...routes)).toBe('backend deep');
    expect(ask('http', '/', ...routes)).toBe('redirect root');
  });

  test('an exact host without a policy leaves plain requests to the wildcard', () => {
    const routes = [
      { key: 'exact', kind: 'edge' },
      { key: 'wild', kind: 'http', host: 'example.com', wildcard: true },
    ] as const;
    expect(ask('http', '/', ...routes)).toBe('backend wild');
    expect(ask('https', '/', ...routes)).toBe('backend exact');
  });
});

test('a connection is passed through for any path of its requests', () => {
  expect(ask('https', '/x', { key: 'tcp', kind: 'passthrough' })).toBe('backend tcp');
});
