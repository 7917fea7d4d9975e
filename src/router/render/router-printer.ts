import type { RenderJob } from '../../engine/render/render-job.ts';
import {
  compileTemplate,
  finished,
  type PrintOutcome,
  type RenderOutcome,
} from '../../engine/render/render-template.ts';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import type { RouteBackend } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import type { RouterTemplate } from './render-router.ts';
import { backendOptions, type TemplateBackend, templateBackend } from './template-backend.ts';
import { commonModel } from './template-model.ts';
import { textBudget } from './text-budget.ts';

/** Prints haproxy.cfg for ever other routes, with one template. Of pieces that are all as before the outcome is the same object. */
export type RouterPrinter = (backends: readonly RouteBackend[]) => RouterPrint;

type RouterPrint = RenderOutcome | { readonly kind: 'pieces'; readonly pieces: readonly string[] };

/** What is not of routes. */
const OWN_CHARACTERS = 1024 * 1024;

/**
 * A line of a template: everything below it is one backend, and uses nothing but `backend`. It is printed for each route alone, and kept until
 * the route changes. A template without it prints all backends each time.
 */
const EACH_BACKEND = '<%# each backend -%>\n';

export function createRouterPrinter(template: RouterTemplate, settings: RouterSettings): RouterPrinter {
  const common = commonModel(settings);
  const options = backendOptions(settings);
  const at = template.text.indexOf(EACH_BACKEND);
  if (at === -1) return printWhole(template, common, (route) => templateBackend(route, options));
  const head = compileTemplate(template.text.slice(0, at), Object.keys(common), limitsOf(template, 0));
  // Empty lines replace the text above, so that an error has its line number in the file.
  const above = template.text.slice(0, at + EACH_BACKEND.length).replaceAll(/[^\n]/g, '');
  const block = `<%#${above}%>${template.text.slice(at + EACH_BACKEND.length)}`;
  const each = compileTemplate(block, ['backend'], limitsOf(template, 1));
  if (head.kind === 'failed') return () => head;
  if (each.kind === 'failed') return () => each;
  const first = inOnePiece(head.print(common));
  const printed = mapChanged(
    oncePer((route: RouteBackend) => inOnePiece(each.print({ backend: templateBackend(route, options) }))),
  );
  let last: { readonly pieces: readonly string[]; readonly print: RouterPrint } | undefined;
  return (backends) => {
    const pieces = textsOf([first, ...printed(backends)]);
    if (!Array.isArray(pieces)) return pieces;
    if (last !== undefined && isSameList(last.pieces, pieces)) return last.print;
    last = { pieces, print: inPieces(pieces, limitsOf(template, backends.length)) };
    return last.print;
  };
}

/** In one piece where a mark or a line end is missing, which the template did not print, or it is too long. */
function inPieces(pieces: readonly string[], limits: ReturnType<typeof limitsOf>): RouterPrint {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  const isWhole = length <= limits.maxCharacters && isRendered(first) && last.endsWith('\n');
  return isWhole ? { kind: 'pieces', pieces } : finished(pieces, limits);
}

/**
 * The text alone, which is kept. EJS concatenates many pieces, and V8 joins them only when the text is read: without this, each change would
 * visit every piece.
 */
function inOnePiece(printed: PrintOutcome): string | Failed {
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

/** All of it at once, for a thread. */
export function wholeJob(
  template: RouterTemplate,
  settings: RouterSettings,
  routes: readonly RouteBackend[],
): RenderJob {
  const options = backendOptions(settings);
  const backends = routes.map((route) => templateBackend(route, options));
  const model = { ...commonModel(settings), backends };
  return { templateText: looping(template.text), model, ...limitsOf(template, routes.length) };
}

function printWhole(
  template: RouterTemplate,
  common: object,
  backendOf: (route: RouteBackend) => TemplateBackend,
): RouterPrinter {
  return (routes) => {
    const model = { ...common, backends: routes.map(backendOf) };
    const compiled = compileTemplate(template.text, Object.keys(model), limitsOf(template, routes.length));
    if (compiled.kind === 'failed') return compiled;
    const texts = textsOf([inOnePiece(compiled.print(model))]);
    return Array.isArray(texts) ? finished(texts, limitsOf(template, routes.length)) : texts;
  };
}

function limitsOf({ path }: RouterTemplate, routes: number) {
  return { templatePath: path, maxCharacters: textBudget(routes) + OWN_CHARACTERS };
}

type Failed = Extract<PrintOutcome, { kind: 'failed' }>;

/** Or the first failure. */
function textsOf(parts: readonly (string | Failed)[]): string[] | Failed {
  const texts: string[] = [];
  for (const part of parts) {
    if (typeof part !== 'string') return part;
    texts.push(part);
  }
  return texts;
}
