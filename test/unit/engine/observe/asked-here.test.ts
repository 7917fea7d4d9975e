import { expect, test } from 'vitest';
import { isAskedHere, isFromHere } from '../../../../src/engine/observe/asked-here.ts';

const plain = 'GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each([
  ['127.0.0.1', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  // The node's own address, from the node: a proxy there may have been led to it.
  ['::ffff:192.0.2.1', false],
  ['2001:db8::2', false],
  // The connection is gone.
  [undefined, false],
])('a request of %s comes from this machine: %s', (remoteAddress, isHere) => {
  expect(isFromHere(plain, { remoteAddress, localAddress: remoteAddress })).toBe(isHere);
});

test.each([
  'X-Forwarded-For: 10.0.0.1',
  'x-forwarded-proto: http',
  'FORWARDED: for=10.0.0.1',
  'Via : 1.1 proxy',
])('a request over loopback with "%s" is a proxy\'s', (line) => {
  const head = `GET /status HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`;
  expect(isFromHere(head, { remoteAddress: '127.0.0.1' })).toBe(false);
});

test.each([
  ['localhost:1936', true],
  ['127.0.0.1', true],
  ['[::1]:1936', true],
  ['192.0.2.1:1936', false],
  ['127.0.0.1.evil.test', false],
  ['127.evil', false],
  ['rebound.example', false],
])('a request for %s is meant for this machine: %s', (host, isMeant) => {
  expect(isAskedHere(`GET /status HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(isMeant);
});
