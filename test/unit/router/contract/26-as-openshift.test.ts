import { describe, expect, test } from 'vitest';
import { cipherLists } from '../../../../src/router/render/cipher-lists.ts';
import { errorAnswerProblem } from '../../../../src/router/render/given-files.ts';
import { unavailablePage } from '../../../../src/router/render/unavailable-page.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { decided, routeObject } from '../objects-of.ts';

const only = (spec: object) => decided([routeObject({ name: 'a', spec })]);

describe('contract 26: like openshift-router', () => {
  test('spec.tls without a termination is edge, and never served in clear text', () => {
    expect(only({ tls: {} }).model.backends[0]).toMatchObject({ kind: 'edge', insecure: 'None' });
    expect(only({ tls: { termination: '' } }).model.backends[0]?.kind).toBe('edge');
  });

  test('spec.tls without a termination, but with a CA of the pods, is refused', () => {
    expect(only({ tls: { destinationCACertificate: 'x' } }).admission.rejected[0]?.message).toBe(
      'spec.tls.termination: expected edge, passthrough or reencrypt',
    );
  });

  test('a path of 4,096 characters is admitted, and a longer one is refused with its length', () => {
    expect(only({ path: `/${'a'.repeat(4_095)}` }).admission.admitted).toHaveLength(1);
    expect(only({ path: `/${'a'.repeat(4_096)}` }).admission.rejected[0]?.message).toBe(
      'spec.path: it has 4097 characters, expected at most 4096',
    );
  });

  test('the default ciphers have TLS 1.2 ciphers without AEAD last, and no 3DES', () => {
    const ciphers = cipherLists.get('intermediate')?.split(':') ?? [];
    expect(ciphers).toEqual(
      expect.arrayContaining(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'AES256-SHA']),
    );
    expect(ciphers.slice(0, 9).every((each) => /GCM|POLY1305/.test(each))).toBe(true);
    expect(ciphers.filter((each) => each.includes('DES'))).toEqual([]);
  });

  test.each(['99999999999999999999s', '2147483648ms', '25d'])(
    'ROUTER_DEFAULT_SERVER_TIMEOUT=%s is clipped, as an annotation is',
    (text) => {
      expect(routerSettings({ ROUTER_DEFAULT_SERVER_TIMEOUT: text }).serverTimeout).toBe(2_147_483_647);
    },
  );

  test("the 503 page fits into HAProxy's smallest buffer", () => {
    expect(errorAnswerProblem(Buffer.from(unavailablePage.content), 16_384)).toBeUndefined();
  });
});
