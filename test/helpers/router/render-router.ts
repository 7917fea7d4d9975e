import { render } from '../../../src/engine/render/render-job.ts';
import { createRendering, type RouterRendering } from '../../../src/router/render/render-router.ts';
import type { RouterSettings } from '../../../src/router/settings/router-settings.ts';

type Input = Parameters<ReturnType<typeof createRendering>>;

/** Renders one model after another, like the running router, but without a thread. */
export function createRouterRenderer(settings: RouterSettings): (...input: Input) => RouterRendering {
  const prepare = createRendering(settings);
  return (...input) => {
    const { print, finish } = prepare(...input);
    return finish(print.kind === 'job' ? render(print.job) : print);
  };
}

/** From scratch. */
export function renderRouter(
  template: Input[0],
  settings: RouterSettings,
  ...rest: [Input[1], Input[2], Input[3]?]
): RouterRendering {
  return createRouterRenderer(settings)(template, ...rest);
}
