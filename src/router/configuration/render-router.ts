import type { Rendered } from '../../engine/apply/file-set.ts';
import { createHashMapFiles } from '../lookup/hash-maps.ts';
import { regexMapFiles } from '../lookup/regex-maps.ts';
import type { RouteBackend, RouterModel } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { DEFAULT_CERTIFICATE_FILE } from './file-names.ts';
import { routeFiles } from './route-files.ts';
import { createRouterPrinter, type RouterPrinter } from './router-printer.ts';
import { type LeftOut, printableRoutes } from './unprintable.ts';

export interface RouterTemplate {
  readonly path: string;
  readonly text: string;
  /** The permissions of the files. */
  readonly mode: number;
}

export type RouterRendering =
  | { readonly kind: 'rendered'; readonly rendered: Rendered; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'failed'; readonly message: string };

/** See `renderRouter`. */
export type RouterRenderer = (
  template: RouterTemplate,
  model: RouterModel,
  defaultCertificate: string,
) => RouterRendering;

/**
 * haproxy.cfg and every file that it names. `defaultCertificate` is PEM, key and certificate. Pure: equal models give equal
 * bytes. A route that cannot be printed is left out of all of them.
 */
export function renderRouter(
  template: RouterTemplate,
  settings: RouterSettings,
  model: RouterModel,
  defaultCertificate: string,
): RouterRendering {
  return createRouterRenderer(settings)(template, model, defaultCertificate);
}

/**
 * The same for one model after another: what was made for a route is used again while its backend in the model is the same object. It
 * says the same as `renderRouter` for each model, whatever came before.
 */
export function createRouterRenderer(settings: RouterSettings): RouterRenderer {
  const hashFiles = createHashMapFiles();
  const mapsOf = (routes: readonly RouteBackend[]) =>
    settings.lookup === 'hash' ? hashFiles(routes) : regexMapFiles(routes, settings);
  const http2 = !settings.disableHttp2;
  let printer: { readonly of: RouterTemplate; readonly print: RouterPrinter } | undefined;
  return (template, model, defaultCertificate) => {
    const { backends, leftOut } = printableRoutes(model.backends);
    const { path, text, mode } = template;
    if (printer?.of.text !== text || printer.of.path !== path)
      printer = { of: template, print: createRouterPrinter(template, settings) };
    const outcome = printer.print(backends);
    if (outcome.kind === 'failed') return outcome;
    const others = [
      ...mapsOf(backends),
      ...routeFiles(backends, { http2, defaultCertificate }),
      { name: DEFAULT_CERTIFICATE_FILE, content: defaultCertificate, secret: true },
    ];
    return { kind: 'rendered', rendered: { text: outcome.text, mode, others }, leftOut };
  };
}
