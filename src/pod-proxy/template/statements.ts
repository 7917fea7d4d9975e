import type { Node } from 'nunjucks/src/parser.js';
import { choice, elseOf } from './expressions.ts';
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

/** What stands between `{%` and `%}`, and text. */
export const statements: readonly (readonly [string, Builder])[] = [
  ['Root', sequence],
  ['NodeList', sequence],
  ['Output', output],
  ['Capture', (node, build) => build(node['body'])],
  ['If', choice],
  ['For', loop],
  ['Set', assignment],
];

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

/** Its variables are its own; a `set` in it changes one of outside where there is one, as in nunjucks. */
function loop(node: Node, build: Build): Part {
  const names = namesIn(node['name'], 'variable', 'for');
  const [list, body, otherwise] = [build(node['arr']), build(node['body']), elseOf(node, build)];
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

/** Of a symbol, or of a list of them. nunjucks takes a string for one, too. */
function namesIn(targets: unknown, what: string, statement: string): readonly string[] {
  const listed = isNode(targets) && targets.typename === 'Array' ? childrenOf(targets) : [targets].flat();
  if (listed.every((each) => isNode(each) && each.typename === 'Symbol')) return listed.map(wordOf);
  return refuse(what, statement);
}

/** Several names take the items of a list, each one. */
function bound(names: readonly string[], value: Value): readonly (readonly [string, Value])[] {
  const [only, second] = names;
  if (only !== undefined && second === undefined) return [[only, value]];
  if (isList(value) && value.length === names.length) return names.map((name, index) => [name, value[index]]);
  throw new Error(`${names.length} variables take ${shown(value)}, expected a list of as many`);
}
