import { expect, test } from 'vitest';
import { createRenderThread } from '../../../src/engine/render/render-in-thread.ts';
import { createTemplateRenderer } from '../../../src/router/render/render-router.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { cpuTimer } from '../../helpers/cpu-timer.ts';
import { renderRouter } from '../../helpers/router/render-router.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../helpers/router/router-settings.ts';
import { fileFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** An administrator's own template, which may do anything. */
const scratch = fileFolder();
const { key, cert } = createAuthority(scratch).issue({ commonName: 'router' });
const certificate = `${key}${cert}`;
const model = {
  backends: [routeBackend({ host: 'a.test' }), routeBackend({ host: 'b.test', kind: 'edge' })],
};
const custom = (text: string) => ({ path: '/etc/own.ejs', text, mode: 0o644, isCustom: true }) as const;

function renderer() {
  const thread = createRenderThread({ timeoutMs: 500, timer: cpuTimer, memoryMb: 64 });
  return createTemplateRenderer(routerSettings(), thread);
}

test.each([
  // Would end only long after the time limit.
  [
    'never ends',
    'a\nb\n<% const end = Date.now() + 60_000; while (Date.now() < end) {} %>\n',
    'line 3: it did not finish',
  ],
  ['throws', 'a\n<% throw new Error("no such thing"); %>\n', 'line 2: no such thing'],
  [
    'prints a value without end',
    'a\n<% for (;;) { %><%= setFolder %><% } %>\n',
    /line 2: it (prints more than the limit|did not finish)/,
  ],
  [
    'prints text without end',
    'a\n<% for (;;) { %>some text\n<% } %>\n',
    /line [23]: it (exceeded the limit|did not finish)/,
  ],
])('a template that %s blocks nothing else, and the error names its line', async (_what, text, message) => {
  const render = renderer();
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 10);
  const outcome = await render(custom(text), model, certificate);
  clearInterval(ticking);
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(message) });
  expect(outcome).toMatchObject({
    message: expect.stringContaining('Cannot render template "/etc/own.ejs"'),
  });
  expect(ticks).toBeGreaterThan(0);
  const shipped = renderRouter(routerTemplate, routerSettings(), model, certificate);
  if (shipped.kind === 'failed') throw new Error(shipped.message);
  // This template is printed as a whole, not backend by backend.
  const { pieces: _, ...rendered } = shipped.rendered;
  const good = custom(routerTemplate.text);
  // On a busy machine even this render may exceed the time limit.
  const next = await waitFor('the next template to be rendered', async () => {
    const found = await render(good, model, certificate);
    return found.kind === 'rendered' && found;
  });
  expect(next).toEqual({ ...shipped, rendered });
  expect(await renderer()(routerTemplate, model, certificate)).toEqual(shipped);
});
