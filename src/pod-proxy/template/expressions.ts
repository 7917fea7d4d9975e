import type { Node } from 'nunjucks/src/parser.js';
import type { Budget } from './budget.ts';
import { called, filtered } from './calls.ts';
import { compare } from './filters.ts';
import {
  type Build,
  type Builder,
  childrenOf,
  isNode,
  nodeIn,
  ownerOf,
  type Part,
  refuse,
  wordOf,
} from './part.ts';
import { isEqual, isList, isMap, isTrue, itemsOf, numberOf, sizeOf, textOf, type Value } from './value.ts';

type Comparison = (a: Value, b: Value, budget: Budget) => boolean;
type Operation = (a: Value, b: Value, budget: Budget) => Value;

/** Operators by precedence. nunjucks nests `a * b % c` to the right; here operators of one level are evaluated from the left, as in Python. */
const levels: readonly ReadonlyMap<string, Operation>[] = [
  new Map<string, Operation>([
    ['Add', added],
    ['Sub', (a, b) => numberOf(a) - numberOf(b)],
  ]),
  new Map<string, Operation>([
    ['Mul', (a, b) => numberOf(a) * numberOf(b)],
    ['Div', (a, b) => numberOf(a) / numberOf(b)],
    ['FloorDiv', (a, b) => Math.floor(numberOf(a) / numberOf(b))],
    ['Mod', (a, b) => numberOf(a) % numberOf(b)],
  ]),
];

const comparisons: ReadonlyMap<unknown, Comparison> = new Map<string, Comparison>([
  ['==', isEqual],
  ['!=', (a, b, budget) => !isEqual(a, b, budget)],
  ['<', (a, b) => compare(a, b, true) < 0],
  ['>', (a, b) => compare(a, b, true) > 0],
  ['<=', (a, b) => compare(a, b, true) <= 0],
  ['>=', (a, b) => compare(a, b, true) >= 0],
]);

const tests: ReadonlyMap<unknown, (value: Value) => boolean> = new Map<unknown, (value: Value) => boolean>([
  ['defined', (value) => value !== undefined],
  ['undefined', (value) => value === undefined],
  ['even', (value) => numberOf(value) % 2 === 0],
  ['odd', (value) => Math.abs(numberOf(value) % 2) === 1],
]);

/** The nodes that an expression can contain. */
export const expressions: readonly (readonly [string, Builder])[] = [
  ['Literal', literal],
  ['TemplateData', literal],
  ['Symbol', symbol],
  [
    'Group',
    (node, build) => (childrenOf(node).length === 1 ? build(childrenOf(node)[0]) : list(node, build)),
  ],
  ['Array', list],
  ['LookupVal', binary('target', 'val', lookup)],
  ['Filter', filtered],
  ['FunCall', called],
  ['Compare', comparison],
  ['In', binary('left', 'right', contains)],
  ['Is', test],
  ['InlineIf', choice],
  ['And', shortcut(false)],
  ['Or', shortcut(true)],
  ['Not', unary((value) => !isTrue(value))],
  ['Neg', unary((value) => -numberOf(value))],
  ['Pos', unary((value) => numberOf(value))],
  ['Concat', binary('left', 'right', joined)],
  ...levels.flatMap((level) => [...level.keys()].map((name): [string, Builder] => [name, chain(level)])),
];

function literal({ value }: Node): Part {
  return value instanceof RegExp ? refuse('value', value) : () => value as Value;
}

function symbol(node: Node): Part {
  const name = wordOf(node);
  return ({ frame }) => ownerOf(frame, name)?.variables.get(name);
}

function list(node: Node, build: Build): Part {
  const items = childrenOf(node).map(build);
  return (run) => items.map((item) => item(run));
}

function unary(operation: (value: Value) => Value): Builder {
  return (node, build) => {
    const target = build(node['target']);
    return (run) => operation(target(run));
  };
}

function binary(left: string, right: string, operation: Operation): Builder {
  return (node, build) => {
    const a = build(node[left]);
    const b = build(node[right]);
    return (run) => operation(a(run), b(run), run.budget);
  };
}

function lookup(value: Value, key: Value): Value {
  if (isMap(value)) return value.get(textOf(key));
  const hasItems = isList(value) || typeof value === 'string';
  return hasItems && typeof key === 'number' ? value.at(key) : undefined;
}

function contains(value: Value, within: Value, budget: Budget): boolean {
  budget.spend(sizeOf(within));
  if (isMap(within)) return within.has(textOf(value));
  if (typeof within === 'string') return within.includes(textOf(value));
  return itemsOf(within).some((item) => isEqual(item, value, budget));
}

function joined(a: Value, b: Value, { spend }: Budget): string {
  const text = textOf(a) + textOf(b);
  spend(text.length);
  return text;
}

function added(a: Value, b: Value, budget: Budget): Value {
  const isText = typeof a === 'string' || typeof b === 'string';
  return isText ? joined(a, b, budget) : numberOf(a) + numberOf(b);
}

/** `and` and `or`: the second operand is not evaluated if the first decides. */
function shortcut(decides: boolean): Builder {
  return (node, build) => {
    const a = build(node['left']);
    const b = build(node['right']);
    return (run) => {
      const first = a(run);
      return isTrue(first) === decides ? first : b(run);
    };
  };
}

/** `if` as a statement or an expression. */
export function choice(node: Node, build: Build): Part {
  const condition = build(node['cond']);
  const body = build(node['body']);
  const otherwise = elseOf(node, build);
  return (run) => (isTrue(condition(run)) ? body(run) : otherwise(run));
}

export function elseOf(node: Node, build: Build): Part {
  return node['else_'] === null ? () => '' : build(node['else_']);
}

function test(node: Node, build: Build): Part {
  const left = build(node['left']);
  const name = testName(nodeIn(node, 'right'));
  const holds = tests.get(name) ?? refuse('test', name);
  return (run) => holds(left(run));
}

/** nunjucks parses `none` as a value, and a test with values as a call. */
function testName({ value, name, typename }: Node): unknown {
  if (value === null) return 'none';
  return value ?? (isNode(name) ? `${name['value']}()` : typename);
}

/** `a < b < c` means `a < b and b < c`. */
function comparison(node: Node, build: Build): Part {
  const operands = [node['ops']].flat().filter(isNode);
  const values = [node['expr'], ...operands.map((operand) => operand['expr'])].map(build);
  const holds = operands.map(({ type }) => comparisons.get(type) ?? refuse('comparison', type));
  return (run) => {
    const found = values.map((value) => value(run));
    return holds.every((each, index) => each(found[index], found[index + 1], run.budget));
  };
}

interface Step {
  readonly operator: string;
  readonly operand: Node;
}

function chain(level: ReadonlyMap<string, Operation>): Builder {
  const stepsOf = (node: Node, operator: string): readonly Step[] =>
    level.has(node.typename)
      ? [...stepsOf(nodeIn(node, 'left'), operator), ...stepsOf(nodeIn(node, 'right'), node.typename)]
      : [{ operator, operand: node }];
  return (node, build) => {
    const [first, ...rest] = stepsOf(node, '').map(({ operator, operand }) => ({
      operation: level.get(operator),
      operand: build(operand),
    }));
    return (run) =>
      rest.reduce(
        (sum, { operation, operand }) => operation?.(sum, operand(run), run.budget),
        first?.operand(run),
      );
  };
}
