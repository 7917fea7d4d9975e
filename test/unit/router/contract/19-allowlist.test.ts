import { describe, expect, test } from 'vitest';
import { createDecider } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import { sizesOf } from '../../../../src/router/render/text-budget.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { backendOf } from '../backend-of.ts';
import { backendWith, decided, routeObject, sliceObject } from '../objects-of.ts';

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
    ['10.0.0.1 ::ffff:010.1.2.3 ::ffff:10.1.2.3', ['10.0.0.1', '::ffff:10.1.2.3']],
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

  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

  test('lists an entry once, however often the annotation repeats it', () => {
    const { allowlist, remarks } = backendWith({ [name]: '10.0.0.1 x 10.0.0.2 x 10.0.0.1' });
    expect(allowlist).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(remarks).toEqual([`${name}: 1 entries ignored, expected IP addresses and networks`]);
  });

  test.each([name, old])('with 4,096 entries in %s is used', (annotation) => {
    expect(backendWith({ [annotation]: addresses(4_096).join(' ') }).allowlist).toEqual(addresses(4_096));
  });

  test.each([
    ['entries', name, addresses(4_097).join(' ')],
    ['entries under its old name', old, addresses(4_097).join('\n')],
    ['equal entries', name, Array(87_000).fill('::').join(' ')],
    ['invalid entries', name, Array(87_000).fill('x').join(' ')],
    ['entries after white space', name, ` ${addresses(4_097).join(' ')}`],
  ])('with too many %s refuses the route instead of opening it to all clients', (_what, annotation, text) => {
    const { admission, model } = decided([routeObject({ name: 'a', annotations: { [annotation]: text } })]);
    expect(model.backends).toEqual([]);
    expect(admission.rejected).toMatchObject([
      { reason: 'ExtendedValidationFailed', message: `${annotation}: expected at most 4096 entries` },
    ]);
  });

  test('is not parsed again when only endpoints change', () => {
    const settings = routerSettings();
    const route = routeObject({ name: 'a', annotations: { [name]: '10.0.0.1' } });
    const objects = (pods: number) =>
      readObjectList(JSON.stringify([route, sliceObject('web', pods)]), settings.routeLabels).objects;
    const { routes } = objects(1);
    const decide = createDecider(settings);
    const [before, after] = [1, 2].map((pods) => decide({ ...objects(pods), routes }).model.backends[0]);
    expect([before?.servers.length, after?.servers.length]).toEqual([1, 2]);
    expect(after?.allowlist).toBe(before?.allowlist);
  });

  test('in a file counts as the memory that HAProxy needs for it', () => {
    const bytes = (count: number) => sizesOf(backendOf({ key: 'ns:a', allowlist: addresses(count) })).bytes;
    expect(bytes(4_096) - bytes(1)).toBe(4_096 * 256);
  });
});
