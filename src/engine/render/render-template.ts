import ejs from 'ejs';
import { messageOf } from '../system/errors.ts';
import { withMark } from './rendered-mark.ts';
import { safeText } from './safe-text.ts';
import { strictView } from './strict-view.ts';
import { compileError, runError, TEMPLATE_NAME, type TemplateError } from './template-error.ts';

export type RenderOutcome =
  /** Not empty, at most 1 MB where no other limit is given, ends with a line end, and carries the mark of what hawser rendered. */
  | { readonly kind: 'rendered'; readonly text: string }
  /** Names the template, the line where it is known, and what is wrong there. */
  | { readonly kind: 'failed'; readonly message: string };

const MAX_RENDERED_CHARACTERS = 1_000_000;

interface RenderOptions {
  readonly templatePath: string;
  readonly maxCharacters?: number;
}

/** Names that a template has no business with. Hidden to catch mistakes, not to hold back malice. */
const hiddenGlobals = ['process', 'globalThis', 'global', 'fetch'] as const;

/**
 * Renders an EJS template with the model's fields as its variables. Pure: the same two give the same text.
 *
 * What a variable carries cannot become configuration of its own: `<%= %>` passes `safeText` or the rendering fails,
 * and a name that the model does not have fails too, wherever it is used. `include` is refused.
 *
 * The template itself is code that the administrator installed next to the program and is trusted like it: EJS is no
 * sandbox, and a template that loops for ever blocks its caller; the monitors render in a thread (docs/decisions/0040).
 * Never render one that came over the network.
 */
export function renderTemplate(templateText: string, model: object, options: RenderOptions): RenderOutcome {
  const limit = options.maxCharacters ?? MAX_RENDERED_CHARACTERS;
  const failed = (error: TemplateError): RenderOutcome => {
    const where = error.line === undefined ? '' : ` line ${error.line}`;
    return {
      kind: 'failed',
      message: `Cannot render template "${options.templatePath}"${where}: ${error.what}`,
    };
  };
  const template = prepare(templateText, model, limit);
  const compiled = attempt(() => template.compile());
  if (!compiled.ok) return failed(compileError(templateText, template.source, compiled.message));
  const run = attempt(() => String(compiled.value(variablesOf(model))));
  if (!run.ok) return failed(runError(run.message));
  const problem = problemOf(run.value, limit);
  if (problem !== undefined) return failed({ line: undefined, what: problem });
  return { kind: 'rendered', text: withMark(run.value.endsWith('\n') ? run.value : `${run.value}\n`) };
}

function prepare(templateText: string, model: object, limit: number): ejs.Template {
  let printed = 0;
  return new ejs.Template(templateText, {
    strict: true,
    destructuredLocals: [...Object.keys(model), ...hiddenGlobals],
    filename: TEMPLATE_NAME,
    // Counts as it goes: a loop that prints without end stops here instead of filling the memory.
    escape: (value?: unknown) => {
      const text = safeText(value);
      printed += text.length;
      if (printed > limit) throw new Error(tooLong(limit));
      return text;
    },
    includer: (path) => {
      throw new Error(`Cannot include "${path}": a template is one file`);
    },
  });
}

function variablesOf(model: object): Record<string, unknown> {
  const hidden = hiddenGlobals.map((name) => [name, undefined]);
  const fields = Object.entries(model).map(([name, value]) => [name, strictView(value, name)]);
  return Object.fromEntries([...hidden, ...fields]);
}

const tooLong = (limit: number): string =>
  `it prints more characters than the limit MAX_RENDERED_CHARACTERS allows (${limit}), expected a configuration file`;

function problemOf(text: string, limit: number): string | undefined {
  if (text.length > limit) return tooLong(limit);
  if (!/\S/.test(text)) return 'it prints nothing, expected a configuration file';
  return undefined;
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

function attempt<T>(what: () => T): Attempt<T> {
  try {
    return { ok: true, value: what() };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}
