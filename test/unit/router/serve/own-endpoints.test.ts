import { expect, test } from 'vitest';
import { ownEndpoints } from '../../../../src/router/serve/router-configuration.ts';

test('a VIP of the router counts as its own address, even while another node has it', () => {
  const listen = { host: '127.0.0.1', port: 1936 };
  const own = ownEndpoints({ httpPort: 80, httpsPort: 443, listen, publishAddress: ['192.0.2.7'] });
  expect(own.addresses).toContain('192.0.2.7');
  expect(own.addresses).toContain('127.0.0.1');
  expect(own.ports).toContain(443);
});
