import { runInNewContext } from 'node:vm';
import compiler from 'nunjucks/src/compiler.js';
import filters from 'nunjucks/src/filters.js';
import parser from 'nunjucks/src/parser.js';
import runtime, { type Scope } from 'nunjucks/src/runtime.js';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { overLimit } from '../../engine/system/limit.ts';
import { filterNames, problemIn, testNames } from './allowed.ts';
import { isAsExpected } from './compiled.ts';
import type { TemplateModel } from './template-model.ts';

/** A template and what it gets, as plain data. */
export interface JinjaJob {
  readonly template: string;
  readonly model: TemplateModel;
}

type Root = (env: object, context: object, frame: Scope, runtime: object, done: Done) => void;
type Done = (error: unknown, text?: string) => void;

const MAX_RENDERED_CHARACTERS = 500_000;
/** A real template takes some milliseconds. */
const RENDER_TIMEOUT_MS = 1_000;

/**
 * Renders the part of Jinja2 that configurations need. A template reaches what the model holds and nothing else: no
 * other file, no property that the model does not have itself, no function but those in `allowed.ts`. It is stopped after
 * `timeoutMs`. Its caller bounds the memory.
 */
export function renderJinja({ template, model }: JinjaJob, timeoutMs = RENDER_TIMEOUT_MS): RenderOutcome {
  const failed = (what: string, line?: number): RenderOutcome => {
    const where = line === undefined ? '' : ` line ${line}`;
    return { kind: 'failed', message: `Cannot render the template${where}: ${what}` };
  };
  try {
    const problem = problemIn(parser.parse(template, [], {}));
    if (problem !== undefined) return failed(problem.what, problem.line);
    const text = within(timeoutMs, () => run(template, model));
    const over = overLimit(text.length, 'characters', { MAX_RENDERED_CHARACTERS });
    if (over !== undefined) return failed(`the result has ${over}`);
    if (text.trim() === '') return failed('it prints nothing, expected a configuration');
    return { kind: 'rendered', text: text.endsWith('\n') ? text : `${text}\n` };
  } catch (error) {
    const isLate = codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    return failed(isLate ? `it was not done within ${timeoutMs} ms` : firstLineOf(error), lineOf(error));
  }
}

/** Only a script can be stopped, but with everything that it calls. */
function within<T>(timeoutMs: number, work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: timeoutMs }) as T;
}

function run(template: string, model: TemplateModel): string {
  const source = compiler.compile(template, [], [], 'template', {});
  if (!isAsExpected(source)) throw new Error('it is compiled to something else than a template');
  // A realm without globals, where text never becomes code.
  const contextCodeGeneration = { strings: false, wasm: false };
  const { root }: { readonly root: Root } = runInNewContext(`(() => {${source}})()`, Object.create(null), {
    contextCodeGeneration,
  });
  let rendered = '';
  const done: Done = (error, text) => {
    if (error) throw error;
    rendered = text ?? '';
  };
  root(environment, { env: environment }, new runtime.Frame(), guardedRuntime(model), done);
  return rendered;
}

const environment = {
  opts: { autoescape: false },
  getFilter: (name: string) => (filterNames.has(name) ? filters[name === 'd' ? 'default' : name] : undefined),
  getTest: (name: string) => (testNames.has(name) ? tests[name] : undefined),
};

const tests: Readonly<Record<string, (value: unknown) => boolean>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  even: (value) => Number(value) % 2 === 0,
  odd: (value) => Math.abs(Number(value) % 2) === 1,
};

/** What compiled templates call, where it would follow prototypes, with the meaning that it has in Python. */
function guardedRuntime(model: TemplateModel): object {
  const names = new Map<string, unknown>([
    ...Object.entries(model),
    ['range', range],
    ['True', true],
    ['False', false],
    ['None', null],
  ]);
  return {
    ...runtime,
    contextOrFrameLookup: (_context: unknown, frame: Scope, name: string) =>
      frame.lookup(name) ?? names.get(name),
    memberLookup,
    fromIterator: (value: unknown) => (isMap(value) ? Object.keys(value) : value),
    inOperator: (value: unknown, within: unknown) => {
      if (isMap(within)) return Object.hasOwn(within, String(value));
      return Array.isArray(within) ? within.includes(value) : String(within).includes(String(value));
    },
  };
}

function memberLookup(value: unknown, key: unknown): unknown {
  if (Array.isArray(value) || typeof value === 'string')
    return typeof key === 'number' ? value.at(key) : undefined;
  if (!isMap(value)) return undefined;
  return Object.hasOwn(value, String(key)) ? value[String(key)] : methodOf(value, String(key));
}

function methodOf(map: Readonly<Record<string, unknown>>, name: string): unknown {
  switch (name) {
    case 'items':
      return () => Object.entries(map);
    case 'keys':
      return () => Object.keys(map);
    case 'values':
      return () => Object.values(map);
    case 'get':
      return (key: unknown, instead?: unknown) =>
        Object.hasOwn(map, String(key)) ? map[String(key)] : instead;
    default:
      return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function range(first: number, end?: number, step = 1): readonly number[] {
  const [from, to] = end === undefined ? [0, first] : [first, end];
  return Array.from(
    { length: Math.max(0, Math.ceil((to - from) / step)) },
    (_, index) => from + index * step,
  );
}

function firstLineOf(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}

function lineOf(error: unknown): number | undefined {
  const line = error instanceof Error && 'lineno' in error ? Number(error.lineno) : 0;
  return line > 0 ? line : undefined;
}
