import { describe, expect, test } from 'vitest';
import { answerOf } from '../../../../src/router/render/reference-matcher.ts';
import { backendOf } from '../backend-of.ts';

const host = 'app.example.com';
const model = {
  backends: [
    backendOf({ key: 'shop:root' }),
    backendOf({ key: 'shop:sub', path: '/sub' }),
    backendOf({ key: 'shop:deep', path: '/sub/deep' }),
    backendOf({ key: 'shop:slash', path: '/only/' }),
    backendOf({ key: 'shop:itself', path: '/sub/x', pathMatch: 'exact' }),
    backendOf({ key: 'shop:deep-itself', path: '/sub/deep', pathMatch: 'exact' }),
    backendOf({ key: 'shop:wild', host: 'example.com', wildcard: true }),
  ],
};

function keyFor(asked: string, path: string): string | undefined {
  const answer = answerOf(model, { scheme: 'http', host: asked, path });
  return answer.kind === 'none' ? undefined : answer.backend.key;
}

describe('contract 13: the path', () => {
  test.each([
    ['', 'shop:root'],
    ['/', 'shop:root'],
    ['/sub', 'shop:sub'],
    ['/sub?a=/deep', 'shop:sub'],
    ['/sub/', 'shop:sub'],
    ['/sub/x', 'shop:itself'],
    ['/sub/x?y', 'shop:itself'],
    ['/sub/x/', 'shop:sub'],
    ['/sub/x/y', 'shop:sub'],
    ['/subpar', 'shop:root'],
    ['/sub/deep', 'shop:deep-itself'],
    ['/sub/deep/', 'shop:deep'],
    ['/sub/deeper', 'shop:sub'],
    ['/sub/deep/x', 'shop:deep'],
    ['/SUB', 'shop:root'],
    ['/only', 'shop:root'],
    ['/only/', 'shop:slash'],
    ['/only/x', 'shop:slash'],
    ['*', 'shop:root'],
  ])('%j is answered by %s', (path, key) => {
    expect(keyFor(host, path)).toBe(key);
  });
});

describe('contract 13: the host', () => {
  test.each([
    ['app.example.com', 'shop:root'],
    ['app.example.com:8080', 'shop:root'],
    ['app.example.com.', 'shop:root'],
    ['app.example.com.:80', 'shop:root'],
    ['APP.Example.Com', 'shop:root'],
    ['other.example.com', 'shop:wild'],
    ['.example.com', 'shop:wild'],
    ['a.b.example.com', undefined],
    ['example.com', undefined],
    ['app.example.com:x', undefined],
    ['app.example.com..', undefined],
    ['', undefined],
  ])('%j is answered by %s', (asked, key) => {
    expect(keyFor(asked, '/')).toBe(key);
  });
});
