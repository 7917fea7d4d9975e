import parser, { type Node } from 'nunjucks/src/parser.js';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { createBudget } from './budget.ts';
import { choice, elseOf, expressions } from './expressions.ts';
import {
  assign,
  type Build,
  type Builder,
  childrenOf,
  type Frame,
  isNode,
  type Part,
  refuse,
  wordOf,
} from './part.ts';
import { isList, itemsOf, shown, textOf, type Value } from './value.ts';

/** A template's variables. */
export interface TemplateModel {
  /** The addresses by downstream group, both in a stable order. Groups without addresses are absent. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  /** The certificates' paths, by the names of their Secrets. */
  readonly certs: Readonly<Record<string, string>>;
}

/** A template and its model, as plain data. */
export interface JinjaJob {
  readonly template: string;
  readonly model: TemplateModel;
}

/**
 * Renders the part of Jinja2 that configurations need. A template can access only its model: it is evaluated node by node, and
 * nodes that are not in these tables are refused with their line before the evaluation. A budget stops a template that computes or
 * prints too much. The caller must limit the time that nunjucks takes to parse.
 */
export function renderJinja({ template, model }: JinjaJob): RenderOutcome {
  try {
    const root = build(parser.parse(template, [], {}));
    const text = `${root({ frame: frameOf(model), budget: createBudget() })}`;
    if (text.trim() === '') throw new Error('it prints nothing, expected a configuration');
    return { kind: 'rendered', text: text.endsWith('\n') ? text : `${text}\n` };
  } catch (error) {
    const line = lineOf(error);
    const where = line === undefined ? '' : ` line ${line}`;
    return {
      kind: 'failed',
      message: `Cannot render the template${where}: ${messageOf(error).split('\n')[0]}`,
    };
  }
}

/** The statements between `{%` and `%}`, and text. */
const statements: readonly (readonly [string, Builder])[] = [
  ['Root', sequence],
  ['NodeList', sequence],
  ['Output', output],
  ['Capture', (node, build) => build(node['body'])],
  ['If', choice],
  ['For', loop],
  ['Set', assignment],
];

const builders: ReadonlyMap<string, Builder> = new Map([...statements, ...expressions]);

function build(node: unknown): Part {
  if (!isNode(node)) throw new Error('it has an expression without a value');
  try {
    const builder = builders.get(node.typename);
    if (builder !== undefined) return withLine(node, builder(node, build));
    throw new Error(`"${node.typename}" is not supported, expected for, if, set, filters and expressions`);
  } catch (error) {
    throw atLine(node, error);
  }
}

function withLine(node: Node, part: Part): Part {
  return (run) => {
    try {
      run.budget.spend(1);
      return part(run);
    } catch (error) {
      throw atLine(node, error);
    }
  };
}

/** Adds the line of the innermost node to an error, in the property that nunjucks uses. */
function atLine({ lineno }: Node, error: unknown): unknown {
  return lineOf(error) ? error : Object.assign(new Error(messageOf(error)), { lineno: lineno + 1 });
}

function lineOf(error: unknown): number | undefined {
  const line = error instanceof Error && 'lineno' in error ? Number(error.lineno) : 0;
  return line > 0 ? line : undefined;
}

function frameOf({ hosts, certs }: TemplateModel): Frame {
  const variables = new Map<string, Value>([
    ['hosts', new Map(Object.entries(hosts))],
    ['certs', new Map(Object.entries(certs))],
    ['True', true],
    ['False', false],
    ['None', null],
  ]);
  return { variables: new Map(), parent: { variables, parent: undefined } };
}

function sequence(node: Node, build: Build): Part {
  const parts = childrenOf(node).map(build);
  return (run) => parts.map((part) => part(run)).join('');
}

function output(node: Node, build: Build): Part {
  const parts = childrenOf(node).map(build);
  return (run) => {
    const text = parts.map((part) => textOf(part(run))).join('');
    run.budget.print(text.length);
    return text;
  };
}

/** The variables of a loop are local; `set` changes an outer variable of the same name if there is one, as in nunjucks. */
function loop(node: Node, build: Build): Part {
  const names = namesIn(node['name'], 'variable', 'for');
  const list = build(node['arr']);
  const body = build(node['body']);
  const otherwise = elseOf(node, build);
  return (run) => {
    const items = itemsOf(list(run));
    const frame: Frame = { variables: new Map(), parent: run.frame };
    const inner = { ...run, frame };
    if (items.length === 0) return otherwise(inner);
    return items
      .map((item, index) => {
        for (const [name, value] of bound(names, item)) frame.variables.set(name, value);
        frame.variables.set('loop', positionOf(index, items.length));
        return body(inner);
      })
      .join('');
  };
}

function positionOf(index0: number, length: number): Value {
  const position = { index: index0 + 1, index0, revindex: length - index0, revindex0: length - index0 - 1 };
  return new Map(
    Object.entries<Value>({ ...position, first: index0 === 0, last: index0 === length - 1, length }),
  );
}

function assignment(node: Node, build: Build): Part {
  const names = namesIn(node['targets'], 'target', 'set');
  const value = build(node['value'] ?? node['body']);
  return (run) => {
    for (const [name, each] of bound(names, value(run))) assign(run.frame, name, each);
    return '';
  };
}

/** The names in a symbol or a list of symbols. Refuses a string, which nunjucks accepts. */
function namesIn(targets: unknown, what: string, statement: string): readonly string[] {
  const listed = isNode(targets) && targets.typename === 'Array' ? childrenOf(targets) : [targets].flat();
  if (listed.every((each) => isNode(each) && each.typename === 'Symbol')) return listed.map(wordOf);
  return refuse(what, statement);
}

/** Several names are assigned the items of a list, one each. */
function bound(names: readonly string[], value: Value): readonly (readonly [string, Value])[] {
  const [only, second] = names;
  if (only !== undefined && second === undefined) return [[only, value]];
  if (isList(value) && value.length === names.length) return names.map((name, index) => [name, value[index]]);
  throw new Error(`${names.length} variables take ${shown(value)}, expected a list of as many`);
}
