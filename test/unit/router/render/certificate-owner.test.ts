import { expect, test } from 'vitest';
import { certificateOwner } from '../../../../src/router/render/reference-matcher.ts';
import { backendOf } from '../backend-of.ts';

const certificate = { pem: '', http2: true };
const model = {
  backends: [
    backendOf({ key: 'a:exact', kind: 'edge', certificate }),
    backendOf({ key: 'a:path', kind: 'edge', path: '/x' }),
    backendOf({ key: 'z:late', kind: 'edge', path: '/y', certificate }),
    backendOf({ key: 'a:wild', kind: 'edge', host: 'example.com', wildcard: true, certificate }),
    backendOf({ key: 'b:plain', kind: 'edge', host: 'b.example.com' }),
    backendOf({ key: 'c:plain', kind: 'edge', host: 'c.example.net' }),
  ],
};

test.each([
  // The last of two routes: HAProxy uses the first line of the list, which is in descending order.
  ['app.example.com', 'z:late'],
  ['b.example.com', 'a:wild'],
  ['c.example.net', undefined],
])('the certificate for %s is that of %s', (host, key) => {
  expect(certificateOwner(model, host)?.key).toBe(key);
});
