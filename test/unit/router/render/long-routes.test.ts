import { describe, expect, test } from 'vitest';
import { mustBeSet } from '../../../../src/engine/config/set.ts';
import { sizesOf } from '../../../../src/router/render/text-budget.ts';
import { printableRoutes } from '../../../../src/router/render/unprintable.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { renderRouter } from '../../../helpers/router/render-router.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const scratch = fileFolder();
const { key, cert } = createAuthority(scratch).issue({ commonName: 'router' });

const small = routeBackend({ host: 'small.com', key: 'ns:small' });

function renderedOf(...backends: readonly ReturnType<typeof routeBackend>[]) {
  const outcome = renderRouter(routerTemplate, routerSettings(), { backends }, `${key}${cert}`);
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome;
}

function render(...backends: readonly ReturnType<typeof routeBackend>[]) {
  const { rendered, leftOut } = renderedOf(...backends);
  return { text: rendered.text, leftOut };
}

test('tenants with many long headers lose only routes of their own', () => {
  const actions = Array.from({ length: 20 }, (_, index) => ({
    kind: 'set' as const,
    name: `X-${index}`,
    value: "'".repeat(16_384),
  }));
  const headers = { request: actions, response: actions };
  const long = Array.from({ length: 26 }, (_, index) =>
    routeBackend({ host: `r${index}.com`, key: `ns:r${index}`, headers }),
  );
  const { text, leftOut } = render(small, ...long);
  expect(text).toContain('backend be_http:ns:small from');
  expect(leftOut.length).toBeGreaterThan(0);
  expect(leftOut.length).toBeLessThan(26);
  expect(leftOut.map(({ key }) => key)).not.toContain('ns:small');
  expect(leftOut[0]?.problem).toMatch(
    /^its configuration of \d+ bytes \(more than the other routes leave space for\)/,
  );
});

test.each(["'", '%', '€', '💚'])(
  'a header of many %s counts at least the bytes that are printed',
  (value) => {
    const request = [{ kind: 'set' as const, name: 'X', value: value.repeat(8_000) }];
    const route = { ...small, headers: { request, response: [] } };
    const printed = Buffer.byteLength(render(route).text) - Buffer.byteLength(render(small).text);
    const size = sizesOf(route).textBytes;
    expect(size).toBeGreaterThan(printed);
    expect(size).toBeLessThan(printed + 16_384);
  },
);

test('a route with a hundred thousand servers is left out, and one with five thousand is not', () => {
  const withServers = (key: string, count: number) =>
    routeBackend({
      host: `${count}.com`,
      key,
      servers: Array.from({ length: count }, (_, index) => ({
        name: `pod:web-${index}:web:http:10.0.0.1:8080`,
        address: '10.0.0.1',
        port: 8080,
        weight: 1,
        h2c: false,
      })),
    });
  const { text, leftOut } = render(
    small,
    withServers('ns:five-thousand', 5_000),
    withServers('ns:huge', 100_000),
  );
  expect(leftOut.map(({ key }) => key)).toEqual(['ns:huge']);
  expect(text).toContain('backend be_http:ns:five-thousand from');
});

test('several routes with many servers each fit', () => {
  const servers = Array.from({ length: 25 }, (_, index) => ({
    name: `pod:web-${index}-0123456789abcdef:web:http:10.0.0.${index}:8080`,
    address: `10.0.0.${index}`,
    port: 8080,
    weight: 1,
    h2c: false,
  }));
  const many = Array.from({ length: 2_000 }, (_, index) =>
    routeBackend({ host: `r${index}.com`, key: `team:r${index}`, servers }),
  );
  expect(render(...many).leftOut).toEqual([]);
});

describe('a tenant who fills up the shared space', () => {
  const large = 40_000;
  /** Together larger than the configuration may be, but each smaller than the victim's route. */
  const many = Array.from({ length: 9_000 }, (_, index) =>
    routeBackend({
      host: `r${index}.com`,
      key: `evil:r${index}`,
      servers: serversOf(40),
    }),
  );
  const victim = routeBackend({ host: 'victim.com', key: 'victim:web', servers: serversOf(200) });

  test('with small routes loses them before another tenant loses a large route', () => {
    const { leftOut } = printableRoutes([victim, ...many]);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(leftOut.map(({ key }) => key)).not.toContain('victim:web');
  });

  test('with certificates of a megabyte loses them, and all others are written', () => {
    const pem = 'x'.repeat(1_200_000);
    const certificate = { pem, http2: false };
    const paths = Array.from({ length: 170 }, (_, index) =>
      routeBackend({ host: 'e.com', path: `/${index}`, key: `evil:e${index}`, kind: 'edge', certificate }),
    );
    const { rendered, leftOut } = renderedOf(small, ...paths);
    expect(leftOut.map(({ key }) => key)).not.toContain('ns:small');
    expect(leftOut[0]?.problem).toMatch(
      /^its files of \d+ bytes \(more than the other routes leave space for\)/,
    );
    expect(() => mustBeSet(rendered)).not.toThrow();
  });

  test('with more files than a set may have loses them', () => {
    const certificate = { pem: 'x', http2: false };
    const paths = Array.from({ length: large }, (_, index) =>
      routeBackend({ host: `r${index}.com`, key: `evil:r${index}`, kind: 'edge', certificate }),
    );
    const { leftOut } = printableRoutes([victim, ...paths]);
    expect(leftOut.length).toBeGreaterThan(large - 32_768);
    expect(leftOut.map(({ key }) => key)).not.toContain('victim:web');
    expect(leftOut[0]?.problem).toBe('its 1 file (more than the other routes leave space for)');
  });
});

function serversOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    name: `pod:web-${index}:web:http:10.0.0.1:8080`,
    address: '10.0.0.1',
    port: 8080,
    weight: 1,
    h2c: false,
  }));
}
