import type { RenderJob } from '../../engine/render/render-job.ts';
import { compileTemplate, type PrintOutcome } from '../../engine/render/render-template.ts';
import type { RouteBackend } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import type { RouterTemplate } from './render-router.ts';
import { backendOptions, type TemplateBackend, templateBackend } from './template-backend.ts';
import { commonModel, type RouterTemplateModel } from './template-model.ts';
import { textBudget } from './text-budget.ts';

/** The first piece holds everything except the backends; each further piece is one backend. A custom template is printed as a whole by a job. */
export type RouterPrint =
  | Failed
  | { readonly kind: 'pieces'; readonly pieces: readonly string[] }
  | { readonly kind: 'job'; readonly job: RenderJob };

/** A route's part of the output: its text, or the fields for a custom template. */
export type PrintedRoute = string | TemplateBackend | Failed;

interface Printed {
  readonly printed: PrintedRoute;
}

export interface RouterPrinter {
  readonly route: (route: RouteBackend) => PrintedRoute;
  /** The whole file, from what `route` returned for each route. */
  readonly all: (routes: readonly Printed[]) => RouterPrint;
}

/** For everything except the routes. */
const OWN_CHARACTERS = 1024 * 1024;

/** A line of the shipped template. The text below it is printed once for each backend, and uses only `backend`. */
const EACH_BACKEND = '<%# each backend -%>\n';

export function createRouterPrinter(template: RouterTemplate, settings: RouterSettings): RouterPrinter {
  const options = backendOptions(settings);
  const common = commonModel(settings);
  if (template.isCustom === true)
    return {
      route: (route) => templateBackend(route, options),
      all: (routes) => {
        const backends = routes.map(({ printed }) => printed);
        const model: Record<keyof RouterTemplateModel, unknown> = { ...common, backends };
        const job = { templateText: withLoop(template.text), model, ...limitsOf(template, routes.length) };
        return { kind: 'job', job };
      },
    };
  const at = template.text.indexOf(EACH_BACKEND);
  const head = compileTemplate(template.text.slice(0, at), Object.keys(common), limitsOf(template, 0));
  // Empty lines replace the text above, so that errors have the right line numbers.
  const above = template.text.slice(0, at + EACH_BACKEND.length).replaceAll(/[^\n]/g, '');
  const block = `<%#${above}%>${template.text.slice(at + EACH_BACKEND.length)}`;
  const each = compileTemplate(block, ['backend'], limitsOf(template, 1));
  const first = head.kind === 'failed' ? head : textOf(head.print(common));
  return {
    route: (route) =>
      each.kind === 'failed' ? each : textOf(each.print({ backend: templateBackend(route, options) })),
    all: (routes) => {
      if (typeof first !== 'string') return first;
      const pieces = [first];
      for (const { printed } of routes) {
        if (typeof printed === 'string') pieces.push(printed);
        else if ('kind' in printed) return printed;
      }
      return { kind: 'pieces', pieces };
    },
  };
}

/**
 * Returns the flattened text. EJS concatenates many strings, and V8 keeps them as a tree until the text is read: without this, each comparison would
 * visit every part.
 */
function textOf(printed: PrintOutcome): string | Failed {
  if (printed.kind === 'failed') return printed;
  /^/.test(printed.text);
  return printed.text;
}

/** Replaces the `EACH_BACKEND` line by a loop over the backends. Line numbers stay the same. */
function withLoop(text: string): string {
  const at = text.indexOf(EACH_BACKEND);
  if (at === -1) return text;
  const block = text.slice(at + EACH_BACKEND.length);
  return `${text.slice(0, at)}<% for (const backend of backends) { -%>\n${block}<% } -%>`;
}

function limitsOf({ path }: RouterTemplate, routes: number) {
  return { templatePath: path, maxCharacters: textBudget(routes) + OWN_CHARACTERS };
}

type Failed = Extract<PrintOutcome, { kind: 'failed' }>;
