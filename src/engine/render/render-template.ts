import ejs from 'ejs';
import { messageOf } from '../system/errors.ts';
import { withMark } from './rendered-mark.ts';
import { safeText } from './safe-text.ts';
import { strictView } from './strict-view.ts';
import { compileError, runError, TEMPLATE_NAME, type TemplateError } from './template-error.ts';

export type RenderOutcome =
  /** The text is not empty, has at most 1 MB unless another limit is set, ends with a newline, and has hawser's mark. */
  | { readonly kind: 'rendered'; readonly text: string }
  /** The message names the template, the problem, and the line if it is known. */
  | { readonly kind: 'failed'; readonly message: string };

const MAX_RENDERED_CHARACTERS = 1_000_000;

interface RenderOptions {
  readonly templatePath: string;
  readonly maxCharacters?: number;
  /** Called with each line before it runs. This is the only trace of a template that never ends. */
  readonly onLine?: (line: number) => void;
}

/** Globals that are hidden from a template, against mistakes, not malice. */
const hiddenGlobals = ['process', 'globalThis', 'global', 'fetch'] as const;

/**
 * Renders an EJS template with the model's fields as its variables. Pure: equal inputs give equal text.
 *
 * The value of a variable cannot become configuration: `<%= %>` checks it with `safeText`, and a failed check fails the rendering. So does
 * reading a name that the model does not have, anywhere in the template, and `include`.
 *
 * The template itself is code that the administrator installed next to the program, and is trusted like it. EJS is no sandbox, and a template that
 * loops forever blocks its caller; the monitors render in a thread (docs/internals/decisions/0040). Never render a template from the network.
 */
export function renderTemplate(templateText: string, model: object, options: RenderOptions): RenderOutcome {
  const template = compileTemplate(templateText, Object.keys(model), options);
  if (template.kind === 'failed') return template;
  const printed = template.print(model);
  return printed.kind === 'failed' ? printed : finished(printed.text, options);
}

function finished(
  text: string,
  { templatePath, maxCharacters: limit = MAX_RENDERED_CHARACTERS }: RenderOptions,
): RenderOutcome {
  const refused = (what: string) => failed(templatePath, { line: undefined, what });
  if (text.length > limit) return refused(tooLong(limit));
  if (!/\S/.test(text)) return refused('it prints nothing, expected a configuration file');
  return { kind: 'rendered', text: withMark(text.endsWith('\n') ? text : `${text}\n`) };
}

type Failed = Extract<RenderOutcome, { kind: 'failed' }>;

export type PrintOutcome = { readonly kind: 'printed'; readonly text: string } | Failed;

interface CompiledTemplate {
  readonly kind: 'compiled';
  /** Prints a model that has exactly the fields that the template was compiled for. */
  readonly print: (model: object) => PrintOutcome;
}

/** Compiles a template, or a part of one, that prints many models. */
export function compileTemplate(
  templateText: string,
  fields: readonly string[],
  { templatePath, maxCharacters: limit = MAX_RENDERED_CHARACTERS, onLine }: RenderOptions,
): CompiledTemplate | Failed {
  let printed = 0;
  // Counts while printing: an endless loop stops here instead of filling the memory.
  const count = (text: string): string => {
    printed += text.length;
    if (printed > limit) throw new Error(tooLong(limit));
    return text;
  };
  const names = onLine === undefined ? fields : [...fields, LINE];
  const template = prepare(templateText, names, count);
  const compiled = attempt(() => template.compile());
  if (!compiled.ok)
    return failed(templatePath, compileError(templateText, template.source, compiled.message));
  const run =
    onLine === undefined ? compiled.value : withLines(template, onLine, prepare(templateText, names, count));
  const print = (model: object): PrintOutcome => {
    printed = 0;
    const text = attempt(() => String(run(variablesOf(model))));
    if (!text.ok) return failed(templatePath, runError(text.message));
    return { kind: 'printed', text: text.value };
  };
  return { kind: 'compiled', print };
}

function failed(templatePath: string, { line, what }: TemplateError): Failed {
  const where = line === undefined ? '' : ` line ${line}`;
  return { kind: 'failed', message: `Cannot render template "${templatePath}"${where}: ${what}` };
}

function prepare(
  templateText: string,
  fields: readonly string[],
  count: (text: string) => string,
): ejs.Template {
  return new ejs.Template(templateText, {
    strict: true,
    destructuredLocals: [...fields, ...hiddenGlobals],
    filename: TEMPLATE_NAME,
    // EJS escapes this name in its error messages, such as one about `count`.
    escape: (value?: unknown) => (value === TEMPLATE_NAME ? TEMPLATE_NAME : count(safeText(value))),
    includer: (path) => {
      throw new Error(`Cannot include "${path}": a template is one file`);
    },
  });
}

const LINE = '__onLine';

/** Returns the same program with a call for each line. EJS stores each line number in a variable of the generated program. */
function withLines(
  { source }: ejs.Template,
  onLine: (line: number) => void,
  again: ejs.Template,
): (variables: object) => unknown {
  const traced = source.replaceAll(/^ {4}; __line = (\d+)$/gm, `$&; ${LINE}($1)`);
  const run = Object.assign(again, { source: traced }).compile();
  return (variables) => run({ ...variables, [LINE]: onLine });
}

function variablesOf(model: object): Record<string, unknown> {
  const hidden = hiddenGlobals.map((name) => [name, undefined]);
  const fields = Object.entries(model).map(([name, value]) => [name, strictView(value, name)]);
  return Object.fromEntries([...hidden, ...fields]);
}

const tooLong = (limit: number): string =>
  `it prints more than the limit MAX_RENDERED_CHARACTERS (${limit} characters), expected a configuration file`;

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

function attempt<T>(what: () => T): Attempt<T> {
  try {
    return { ok: true, value: what() };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}
