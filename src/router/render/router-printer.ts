import type { RenderJob } from '../../engine/render/render-job.ts';
import { compileTemplate, type PrintOutcome } from '../../engine/render/render-template.ts';
import type { RouteBackend } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import type { RouterTemplate } from './render-router.ts';
import { backendOptions, type TemplateBackend, templateBackend } from './template-backend.ts';
import { commonModel, type RouterTemplateModel } from './template-model.ts';
import { textBudget } from './text-budget.ts';

/** The first piece holds everything except backends, and each other one is a backend. An administrator's template is printed whole, by a job. */
export type RouterPrint =
  | Failed
  | { readonly kind: 'pieces'; readonly pieces: readonly string[] }
  | { readonly kind: 'job'; readonly job: RenderJob };

/** What a template needs of one route: its text, or the fields for an administrator's template. */
export type PrintedRoute = string | TemplateBackend | Failed;

interface Printed {
  readonly printed: PrintedRoute;
}

export interface RouterPrinter {
  readonly route: (route: RouteBackend) => PrintedRoute;
  /** The whole file, of what `route` returned for each. */
  readonly all: (routes: readonly Printed[]) => RouterPrint;
}

/** Everything except routes. */
const OWN_CHARACTERS = 1024 * 1024;

/**
 * A line of the shipped template: everything below it is one backend, and uses nothing but `backend`. It is printed for each route alone.
 */
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
        const job = { templateText: looping(template.text), model, ...limitsOf(template, routes.length) };
        return { kind: 'job', job };
      },
    };
  const at = template.text.indexOf(EACH_BACKEND);
  const head = compileTemplate(template.text.slice(0, at), Object.keys(common), limitsOf(template, 0));
  // Empty lines replace the text above, so that an error has its line number in the file.
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
 * The text alone, which is kept. EJS concatenates many pieces, and V8 joins them only when the text is read: without this, each change would
 * visit every piece.
 */
function textOf(printed: PrintOutcome): string | Failed {
  if (printed.kind === 'failed') return printed;
  /^/.test(printed.text);
  return printed.text;
}

/** A template with the line of `EACH_BACKEND` as one without it, whose lines have the same numbers. */
function looping(text: string): string {
  const at = text.indexOf(EACH_BACKEND);
  if (at === -1) return text;
  const block = text.slice(at + EACH_BACKEND.length);
  return `${text.slice(0, at)}<% for (const backend of backends) { -%>\n${block}<% } -%>`;
}

function limitsOf({ path }: RouterTemplate, routes: number) {
  return { templatePath: path, maxCharacters: textBudget(routes) + OWN_CHARACTERS };
}

type Failed = Extract<PrintOutcome, { kind: 'failed' }>;
