import { expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import { answersHere, productsAt } from '../../../../src/operate/status/place.ts';

const ofNodes = ['haproxy-supervisor', 'haproxy-monitor', 'keepalived-supervisor', 'keepalived-monitor'];
const node = { isInstalled: false, elsewhere: new Set<string>() };

/** Each program with a page was asked, and only these are there. */
function answersOf(...there: readonly string[]) {
  return statusProducts
    .flatMap(({ programs }) => programs)
    .map((asked) => ({
      ...{ asked, status: null, isThere: there.includes(asked.name) },
      program: { name: asked.name, state: 'silent' as const, address: null, problem: null },
    }));
}

const namesHere = (there: readonly string[], how = node) =>
  answersHere(answersOf(...there), statusProducts, how).map(({ asked }) => asked.name);

test('on a node all four programs are expected, and no router', () => {
  expect(namesHere(ofNodes)).toEqual(ofNodes);
  expect(namesHere(['keepalived-monitor'])).toEqual(ofNodes);
  expect(namesHere([])).toEqual(ofNodes);
});

test("in a router's pod only its own programs are expected", () => {
  expect(namesHere(['router', 'haproxy-supervisor'])).toEqual(['haproxy-supervisor', 'router']);
});

test('a supervisor that is silent is missed, unless it runs under the name of an instance', () => {
  expect(namesHere(['router'])).toEqual(['haproxy-supervisor', 'router']);
  expect(namesHere(['router'], { ...node, elsewhere: new Set(['haproxy-supervisor']) })).toEqual(['router']);
});

test('a router on a control-plane node hides none of its programs', () => {
  expect(namesHere(['router', 'haproxy-monitor'])).toEqual([...ofNodes, 'router']);
  expect(namesHere(['router'], { ...node, isInstalled: true })).toEqual([...ofNodes, 'router']);
});

test('only products with a program on the machine are spoken of', () => {
  const at = (...names: readonly string[]) =>
    productsAt(
      { programs: names.map((name) => ({ name, state: 'answers', address: null, problem: null })) },
      statusProducts,
    ).flatMap(({ programs }) => programs.map(({ name }) => name));
  expect(at('router')).toEqual(['router']);
  expect(at('haproxy-supervisor', 'router')).toEqual(['haproxy-supervisor', 'haproxy-monitor', 'router']);
});
