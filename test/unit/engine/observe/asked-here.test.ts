import { expect, test } from 'vitest';
import { isAskedHere, isFromHere } from '../../../../src/engine/observe/asked-here.ts';

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1', true],
  ['::1', '::1', true],
  // A node's own address, from the node.
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1', true],
  ['::ffff:192.0.2.2', '::ffff:192.0.2.1', false],
  ['2001:db8::2', '2001:db8::1', false],
  // The connection is gone.
  [undefined, undefined, false],
])('a request of %s to %s comes from this machine: %s', (remoteAddress, localAddress, isHere) => {
  expect(isFromHere({ remoteAddress, localAddress })).toBe(isHere);
});

test.each([
  ['localhost:1936', true],
  ['127.0.0.1', true],
  ['[::1]:1936', true],
  ['192.0.2.1:1936', true],
  ['192.0.2.2', false],
  ['rebound.example', false],
])('a request for %s is meant for 192.0.2.1: %s', (host, isMeant) => {
  const head = `GET /status HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  expect(isAskedHere(head, { localAddress: '::ffff:192.0.2.1' })).toBe(isMeant);
});
