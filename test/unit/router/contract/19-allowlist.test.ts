import { describe, expect, test } from 'vitest';
import { backendWith } from '../objects-of.ts';

const name = 'haproxy.router.openshift.io/ip_allowlist';
const old = 'haproxy.router.openshift.io/ip_whitelist';

describe('contract 19: the allowlist', () => {
  test.each([
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8 fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ['10.0.0.1  10.0.0.2\t10.0.0.3', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
    ['10.0.0.1 nonsense 10.0.0.300 10.0.0.0/33 fd00::/129', ['10.0.0.1']],
    ['2001:db8::1', ['2001:db8::1']],
    ['010.0.0.1', undefined],
    ['10.0.0.1/8/8', undefined],
    ['fe80::1%eth0', undefined],
    [' 10.0.0.1', undefined],
    ['10.0.0.1 ', undefined],
    ['nonsense', undefined],
    ['', undefined],
    ['10.0.0.1\n', undefined],
    ['-f /etc/passwd', undefined],
  ])('an allowlist of %j is %j', (text, list) => {
    expect(backendWith({ [name]: text }).allowlist).toEqual(list);
    expect(backendWith({ [old]: text }).allowlist).toEqual(list);
  });

  test('under its new name takes precedence over its old name', () => {
    expect(backendWith({ [name]: '10.0.0.1', [old]: '10.0.0.2' }).allowlist).toEqual(['10.0.0.1']);
  });

  test('an invalid allowlist admits all clients, with a remark', () => {
    expect(backendWith({ [name]: ' 10.0.0.1' }).remarks).toContain(
      `${name}: ignored as a whole, so all clients may connect`,
    );
  });
});
