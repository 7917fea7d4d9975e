import type { Rendered } from '../../engine/apply/file-set.ts';
import { renderTemplate } from '../../engine/render/render-template.ts';
import { hashMapFiles } from '../lookup/hash-maps.ts';
import { regexMapFiles } from '../lookup/regex-maps.ts';
import type { RouterModel } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { DEFAULT_CERTIFICATE_FILE } from './file-names.ts';
import { routeFiles } from './route-files.ts';
import { templateModel } from './template-model.ts';
import { textBudget } from './text-budget.ts';
import { type LeftOut, printableRoutes } from './unprintable.ts';

/** What is not of routes. */
const OWN_CHARACTERS = 1024 * 1024;

export interface RouterTemplate {
  readonly path: string;
  readonly text: string;
  /** The permissions of the files. */
  readonly mode: number;
}

export type RouterRendering =
  | { readonly kind: 'rendered'; readonly rendered: Rendered; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'failed'; readonly message: string };

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
  const { backends, leftOut } = printableRoutes(model.backends);
  const outcome = renderTemplate(template.text, templateModel(settings, { backends }), {
    templatePath: template.path,
    maxCharacters: textBudget(backends.length) + OWN_CHARACTERS,
  });
  if (outcome.kind === 'failed') return outcome;
  const maps = settings.lookup === 'hash' ? hashMapFiles(backends) : regexMapFiles(backends, settings);
  const others = [
    ...maps,
    ...routeFiles(backends, { http2: !settings.disableHttp2, defaultCertificate }),
    { name: DEFAULT_CERTIFICATE_FILE, content: defaultCertificate, secret: true },
  ];
  return { kind: 'rendered', rendered: { text: outcome.text, mode: template.mode, others }, leftOut };
}
