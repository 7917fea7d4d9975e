import type { Node } from 'nunjucks/src/parser.js';
import { filters } from './filters.ts';
import { type Build, childrenOf, isNode, nodeIn, type Part, type Run, refuse, wordOf } from './part.ts';
import { isMap, numberOf, sizeOf, textOf, type Value, type ValueMap } from './value.ts';

type Method = (map: ValueMap, key: Value, instead: Value) => Value;

const methods: ReadonlyMap<unknown, Method> = new Map<string, Method>([
  ['items', (map) => [...map]],
  ['keys', (map) => [...map.keys()]],
  ['values', (map) => [...map.values()]],
  ['get', (map, key, instead) => (map.has(textOf(key)) ? map.get(textOf(key)) : instead)],
]);

/** A filter such as `value|join(",")`. Its input and output count against the budget. */
export function filtered(node: Node, build: Build): Part {
  const name = nodeIn(node, 'name')['value'];
  const filter = filters.get(`${name}`) ?? refuse('filter', name);
  const parts = childrenOf(nodeIn(node, 'args')).map(build);
  if (parts.length > filter.length) return refuse('filter', `${name} with ${parts.length - 1} arguments`);
  return (run) => {
    const values = parts.map((part) => part(run));
    for (const value of values) run.budget.spend(sizeOf(value));
    return paid(run, filter(...values));
  };
}

/** A call of `range(3)` or of a map's method such as `hosts.items()`. */
export function called(node: Node, build: Build): Part {
  const target = nodeIn(node, 'name');
  const args = childrenOf(nodeIn(node, 'args')).map(build);
  const valuesIn = (run: Run): readonly Value[] => args.map((part) => part(run));
  if (target.typename === 'Symbol' && target['value'] === 'range') return (run) => range(run, valuesIn(run));
  const owner = target['target'];
  const name = isNode(target['val']) ? target['val']['value'] : undefined;
  const method = methods.get(name);
  if (method === undefined || !isNode(owner) || owner.typename !== 'Symbol')
    return refuse('call', name ?? target['value'] ?? target.typename);
  const map = build(owner);
  return (run) => {
    const [found, [key, instead]] = [map(run), valuesIn(run)];
    if (isMap(found)) return paid(run, method(found, key, instead));
    throw new Error(`"${wordOf(owner)}" has no ${name}(), expected a map`);
  };
}

function paid(run: Run, value: Value): Value {
  run.budget.spend(sizeOf(value));
  return value;
}

/** Spends the budget before the list is created. */
function range({ budget }: Run, [first, end, step = 1]: readonly Value[]): readonly Value[] {
  const [from, to] = end === undefined ? [0, numberOf(first)] : [numberOf(first), numberOf(end)];
  const by = numberOf(step);
  if (by === 0) throw new Error('range() has a step of 0, expected another number');
  const length = Math.max(0, Math.ceil((to - from) / by));
  budget.spend(length);
  return Array.from({ length }, (_, index) => from + index * by);
}
