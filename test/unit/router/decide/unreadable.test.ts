import { expect, test } from 'vitest';
import { admissionPolicy } from '../../../../src/router/settings/decision-settings.ts';
import { createDesiredRouteStatuses } from '../../../../src/router/status/route-status.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const host = 'app.test';
const unreadable = routeObject({ name: 'odd', host, spec: { to: { name: 'NOT A NAME' }, path: '/a' } });

test('the status of an unreadable Route has the reason', () => {
  const decision = decided([unreadable, routeObject({ name: 'good', host: 'good.test' })]);
  expect(verdicts(decision)).toEqual(['shop:good admitted', 'shop:odd ExtendedValidationFailed']);
  const wanted = createDesiredRouteStatuses(admissionPolicy(routerSettings()))(decision).get('shop:odd');
  expect(wanted).toMatchObject({
    uid: 'shop-odd',
    entry: {
      host,
      refusal: {
        reason: 'ExtendedValidationFailed',
        message: 'the Route cannot be read: spec.to.name: expected a name of a-z 0-9 - .',
      },
    },
  });
});

test('an unreadable Route keeps its host', () => {
  const other = routeObject({ name: 'other', namespace: 'other', host, age: 1 });
  expect(verdicts(decided([unreadable, other]))).toEqual([
    'other:other HostAlreadyClaimed',
    'shop:odd ExtendedValidationFailed',
  ]);
});

test('even without a readable host, the status has the reason', () => {
  const hostless = { ...unreadable, spec: { host: 7 } };
  const [rejected] = decided([hostless]).admission.rejected;
  expect(rejected).toMatchObject({ host: '', reason: 'ExtendedValidationFailed' });
  expect(rejected?.message).toContain('spec.host: expected string');
});

test.each([
  ['a port', { port: { targetPort: 'p'.repeat(64) } }],
  ['a Secret', { tls: { termination: 'edge', externalCertificate: { name: 's'.repeat(254) } } }],
])('the name of %s is bounded, and so is the message about it', (_, spec) => {
  const { rejected } = decided([routeObject({ name: 'odd', host, spec })]).admission;
  expect(rejected.map(({ reason }) => reason)).toEqual(['ExtendedValidationFailed']);
  expect(rejected[0]?.message.length).toBeLessThan(200);
});
