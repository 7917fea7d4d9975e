import { expect, test } from 'vitest';
import { wordsOf } from '../../../../src/engine/examine/section.ts';
import { routerProblems } from '../../../../src/router/report/product-status.ts';
import { routerSection } from '../../../../src/router/report/router-section.ts';
import { routerSays } from '../../../helpers/status-samples.ts';
import { routerHere } from '../../../helpers/status-scenes.ts';

const withStatus = (part: Partial<typeof routerSays>) => ({
  ...routerHere,
  router: { ...routerSays, ...part },
});
const problemsOf = (part: Partial<typeof routerSays>) =>
  routerProblems(withStatus(part)).map(({ text }) => text);
const summaryOf = (router: typeof routerHere.router) =>
  routerSection({ ...routerHere, router }).parts[0]?.summary;

const wellRoutes = {
  admitted: 3,
  hosts: 2,
  rejected: {},
  leftOut: [],
  refused: [],
  ignoring: { routes: 0, first: [] },
};
const well = {
  routes: wellRoutes,
  certificates: { served: 0, expired: 0, expiring: 0, first: [] },
};

test('a router that serves everything has no problem, and an unready one has a reason', () => {
  expect(problemsOf(well)).toEqual([]);
  expect(summaryOf({ ...routerSays, ...well })).toEqual({ tone: 'good', words: 'serves 3 routes' });
  const unready = 'HAProxy does not answer on its stats socket';
  expect(problemsOf({ ...well, unready })).toEqual([`the router is not ready: ${unready}`]);
  expect(summaryOf({ ...routerSays, unready })?.tone).toBe('bad');
  expect(summaryOf(null)?.tone).toBe('unknown');
});

test('until everything has been listed, a router reports only that it is reading', () => {
  const part = { synced: false, unready: 'not every kind of object has been listed yet', routes: null };
  expect(problemsOf(part)).toEqual(['the router has not read all objects from the API yet']);
  expect(summaryOf({ ...routerSays, ...part })?.tone).toBe('busy');
});

test("routes that HAProxy refuses and expired certificates are the operator's problems", () => {
  expect(problemsOf({})).toEqual([
    '1 certificate expired: shop:cart (cart.example.com)',
    expect.stringContaining('2 routes left out, the first one shop:basket: HAProxy refuses'),
  ]);
  const defaultCertificate = { isGiven: true, validTo: '2026-11-01T00:00:00.000Z' };
  expect(problemsOf({ ...well, defaultCertificate })).toEqual(['the default certificate has expired']);
});

test('only certificates that have expired or expire within two weeks are listed', () => {
  const tables = routerSection(routerHere).parts[0]?.tables ?? [];
  const rows = tables.find(({ label }) => label === 'Certificates')?.rows ?? [];
  expect(rows.map(({ name, cells }) => [wordsOf(name), ...cells.map(wordsOf)])).toEqual([
    ['shop:cart', 'expired', 'valid until 2026-11-20'],
    ['shop:pay', 'expires soon', 'valid until 2026-11-28'],
  ]);
});

test('all of many rejected routes are counted, with the number shown', () => {
  const refused = (router: typeof routerSays) =>
    routerSection({ ...routerHere, router }).parts[0]?.tables?.find(({ folded }) => folded !== undefined)
      ?.folded;
  expect(refused(routerSays)).toBe('8 not admitted, the first 1 of them');
  const routes = { ...wellRoutes, rejected: { InvalidHost: 1 }, refused: routerSays.routes?.refused ?? [] };
  expect(refused({ ...routerSays, routes })).toBe('1 not admitted');
});

test('ignored settings are counted, with the first one', () => {
  const ignored = (router: typeof routerSays) =>
    routerSection({ ...routerHere, router }).parts[0]?.facts?.find(({ name }) => name === 'Ignored')?.text;
  expect(ignored(routerSays)).toBe(
    'settings of 2 routes, such as news:web: haproxy.router.openshift.io/timeout: ignored, expected a time such as 5s',
  );
  expect(ignored({ ...routerSays, routes: wellRoutes })).toBeUndefined();
});
