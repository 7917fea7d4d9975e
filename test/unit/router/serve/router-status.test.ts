import { expect, test } from 'vitest';
import { rejectRoutes } from '../../../../src/router/decide/reject-routes.ts';
import type { AdmittedRoute } from '../../../../src/router/decide/verdict.ts';
import { certificateCounts, routeCounts } from '../../../../src/router/serve/router-status.ts';
import { decided, routeObject } from '../objects-of.ts';

const many = Array.from({ length: 300 }, (_, index) =>
  routeObject({ name: `r${String(index).padStart(3, '0')}`, host: `h${index % 100}.test` }),
);
const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T00:00:00Z');

test('all refused routes are counted, and the first ones named', () => {
  const decision = decided(many);
  const left = decision.admission.admitted.slice(0, 20).map(({ key }) => key);
  const refusal = { reason: 'ConfigurationRefused', message: 'no' } as const;
  const refusals = new Map(left.map((key) => [key, refusal]));
  const counts = routeCounts(rejectRoutes({ decision, leftOut: [] }, refusals));
  expect(counts).toMatchObject({
    admitted: 80,
    hosts: 80,
    rejected: { HostAlreadyClaimed: 200, ConfigurationRefused: 20 },
  });
  expect(counts.leftOut.map(({ reason }) => reason)).toEqual(Array(10).fill('ConfigurationRefused'));
  expect(counts.refused.map(({ reason }) => reason)).toEqual(Array(10).fill('HostAlreadyClaimed'));
});

test('expired and soon expiring certificates are counted, and the first ones named', () => {
  const decision = decided(many);
  const pem = '';
  const fingerprint = '';
  const admitted = decision.admission.admitted.map(
    (route, index): AdmittedRoute => ({
      ...route,
      tls: index < 40 ? { certificate: { pem, fingerprint, validToMs: NOW + (index - 5) * DAY } } : {},
    }),
  );
  const counts = certificateCounts(
    { decision: { ...decision, admission: { ...decision.admission, admitted } }, leftOut: [] },
    NOW,
  );
  expect(counts).toMatchObject({ served: 40, expired: 5, expiring: 14 });
  expect(counts.first).toHaveLength(10);
  expect(counts.first[0]).toEqual({
    route: 'shop:r000',
    host: 'h0.test',
    validTo: '2026-11-16T00:00:00.000Z',
  });
});
