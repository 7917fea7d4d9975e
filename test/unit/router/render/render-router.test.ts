import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rendered } from '../../../../src/engine/config/set.ts';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { compareSets } from '../../../../src/router/serve/set-difference.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { createRouterRenderer, renderRouter } from '../../../helpers/router/render-router.ts';
import { routeSets } from '../../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';
import { backendOf } from '../backend-of.ts';

const settings = routerSettings({});
const certificates = ['one', 'two'].map((name) => selfSigned(name, new Date()));
const whole = routerTemplate.text.replace(/<%# each backend -%>\n(.*)$/s, (_, block: string) =>
  ['<%_ for (const backend of backends) { _%>\n', block, '<%_ } _%>\n'].join(''),
);

const balances = fc.constantFrom('random', 'leastconn', 'source');
/** Successive sets: routes are unchanged, replaced by equal objects, changed, added and removed. */
const steps = fc.array(
  fc.record({
    routes: routeSets,
    copies: fc.boolean(),
    balance: balances,
    template: fc.constantFrom(routerTemplate.text, `# mine\n${routerTemplate.text}`),
    certificate: fc.constantFrom(...certificates),
  }),
  { minLength: 2, maxLength: 5 },
);

test('incremental rendering equals rendering from scratch', () => {
  fc.assert(
    fc.property(steps, (each) => {
      const render = createRouterRenderer(settings);
      let before: readonly RouteBackend[] = [];
      for (const { routes, copies, balance, template: text, certificate } of each) {
        const kept = before.slice(0, 5).map((route) => (copies ? { ...route, balance } : route));
        const added = routes.filter(({ key }) => !kept.some((route) => route.key === key));
        const backends = [...kept, ...added].sort((a, b) => (a.key < b.key ? -1 : 1));
        const template = { ...routerTemplate, text };
        expect(render(template, { backends }, certificate)).toEqual(
          renderRouter(template, settings, { backends }, certificate),
        );
        before = backends;
      }
    }),
    { numRuns: runs(60) },
  );
});

const textOnly = ({ text, mode, others = [] }: Rendered): Rendered => ({ text, mode, others });

test('comparing pieces gives the same result as comparing texts', () => {
  const compare = compareSets(settings);
  const difference = (one: Rendered, other: Rendered) => {
    const { changes, reload } = compare(one, other);
    return { changes, reload };
  };
  fc.assert(
    fc.property(steps, (each) => {
      const render = createRouterRenderer(settings);
      let before: Rendered | undefined;
      let kept: readonly RouteBackend[] = [];
      for (const { routes, balance } of each) {
        const found = [...kept.slice(1).map((route) => ({ ...route, balance })), ...routes];
        const backends = [...new Map(found.map((route) => [route.key, route])).values()];
        const outcome = render(routerTemplate, { backends }, certificates[0] ?? '');
        if (outcome.kind === 'failed') throw new Error(outcome.message);
        const { rendered } = outcome;
        expect(rendered.pieces?.join('')).toBe(rendered.text);
        if (before !== undefined)
          expect(difference(before, rendered)).toEqual(difference(textOnly(before), textOnly(rendered)));
        [before, kept] = [rendered, backends];
      }
    }),
    { numRuns: runs(60) },
  );
});

test('a configuration that is rendered again is the same object', () => {
  const render = createRouterRenderer(settings);
  const backends = ['ns:a', 'ns:b'].map((key) => backendOf({ key }));
  const [certificate = ''] = certificates;
  const [one, other] = [1, 2].map(() => render(routerTemplate, { backends: [...backends] }, certificate));
  expect(one?.kind === 'rendered' && other?.kind === 'rendered' && one.rendered === other.rendered).toBe(
    true,
  );
});

test('a template with its own loop over backends produces the same bytes', () => {
  const backends = ['ns:a', 'ns:b'].map((key) => backendOf({ key }));
  const [certificate = ''] = certificates;
  const own = { ...routerTemplate, text: whole, isCustom: true } as const;
  const texts = [routerTemplate, own].map((template) => {
    const outcome = renderRouter(template, settings, { backends }, certificate);
    return outcome.kind === 'failed' ? outcome : textOnly(outcome.rendered);
  });
  expect(whole).toContain('for (const backend of backends)');
  expect(texts[1]).toEqual(texts[0]);
});

describe('a template', () => {
  const render = (text: string) =>
    renderRouter(
      { ...routerTemplate, text },
      settings,
      { backends: [backendOf({ key: 'ns:a' })] },
      certificates[0] ?? '',
    );

  test('has only `backend` in its per-backend section', () => {
    expect(render(`${routerTemplate.text}<%= lookup %>`)).toMatchObject({
      message: expect.stringContaining('lookup is not defined'),
    });
    expect(render(routerTemplate.text.replace('<%# each', '<%= backends %>\n<%# each'))).toMatchObject({
      message: expect.stringContaining('backends is not defined'),
    });
  });

  test('reports an error in a backend with its line in the file', () => {
    const lines = routerTemplate.text.split('\n');
    const at = lines.findIndex((line) => line.includes('backend.balance'));
    const text = lines.with(at, '  balance <%= backend.balanced %>').join('\n');
    expect(render(text)).toMatchObject({ message: expect.stringContaining(`line ${at + 1}:`) });
  });
});

test('no server is offered DHE, because a pod could choose an expensive group', () => {
  const outcome = renderRouter(routerTemplate, settings, { backends: [] }, selfSigned('one', new Date()));
  const text = outcome.kind === 'rendered' ? outcome.rendered.text : '';
  const [ciphers, options] = ['ciphers', 'options'].map(
    (name) => new RegExp(`^  ssl-default-server-${name} (.*)$`, 'm').exec(text)?.[1],
  );
  expect([ciphers, options]).toEqual(['DEFAULT:!kDHE', 'ssl-min-ver TLSv1.2']);
  const offered = execFileSync('openssl', ['ciphers', '-v', ciphers ?? ''], { encoding: 'utf8' });
  expect(offered).toContain('Kx=ECDH');
  expect(offered).not.toMatch(/Kx=DH\s/);
});
