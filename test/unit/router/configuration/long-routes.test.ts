import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderRouter } from '../../../../src/router/configuration/render-router.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';

const scratch = mkdtempSync(join(tmpdir(), 'hawser-long-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const { key, cert } = createAuthority(scratch).issue({ commonName: 'router' });

const small = routeBackend({ host: 'small.com', key: 'ns:small' });

function render(...backends: readonly ReturnType<typeof routeBackend>[]) {
  const outcome = renderRouter(routerTemplate, routerSettings(), { backends }, `${key}${cert}`);
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return { text: outcome.rendered.text, leftOut: outcome.leftOut };
}

test('tenants with many long headers cost a route of their own, and nobody else', () => {
  const actions = Array.from({ length: 20 }, (_, index) => ({
    ...{ kind: 'set' as const, name: `X-${index}` },
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
  expect(leftOut[0]?.problem).toMatch(/^its configuration of \d+ characters, too many beside the others',/);
});

test('a route with a hundred thousand servers is left out, and one with five thousand is not', () => {
  const withServers = (key: string, count: number) =>
    routeBackend({
      ...{ host: `${count}.com`, key },
      servers: Array.from({ length: count }, (_, index) => ({
        ...{ name: `pod:web-${index}:web:http:10.0.0.1:8080`, address: '10.0.0.1', port: 8080, weight: 1 },
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

test('routes with many servers each have room beside each other', () => {
  const servers = Array.from({ length: 25 }, (_, index) => ({
    ...{
      name: `pod:web-${index}-0123456789abcdef:web:http:10.0.0.${index}:8080`,
      address: `10.0.0.${index}`,
    },
    ...{ port: 8080, weight: 1, h2c: false },
  }));
  const many = Array.from({ length: 2_000 }, (_, index) =>
    routeBackend({ host: `r${index}.com`, key: `team:r${index}`, servers }),
  );
  expect(render(...many).leftOut).toEqual([]);
});
